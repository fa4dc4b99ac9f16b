#include <stdlib.h>
#include <string.h>

double hand(const double *given, long n, long m, long sweeps, double *a_bar)
{
    double *a = malloc(n * m * sizeof *a);
    memcpy(a, given, n * m * sizeof *a);
    for (long t = 0; t < sweeps; t++)
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < m - 1; j++) {
                double *up = a + (i - 1) * m + j, *at = up + m, *down = at + m;
                *at = (up[-1] + up[0] + up[1] + at[-1] + at[0] + at[1] + down[-1] + down[0] + down[1]) / 9.0;
            }
    double value = 0.0;
    for (long i = 0; i < n * m; i++) {
        value += a[i] * a[i];
        a_bar[i] = 2.0 * a[i];
    }
    for (long t = 0; t < sweeps; t++)
        for (long i = n - 2; i > 0; i--)
            for (long j = m - 2; j > 0; j--) {
                double *up = a_bar + (i - 1) * m + j, *at = up + m, *down = at + m;
                double ninth = *at / 9.0;
                *at = ninth;
                up[-1] += ninth;
                up[0] += ninth;
                up[1] += ninth;
                at[-1] += ninth;
                at[1] += ninth;
                down[-1] += ninth;
                down[0] += ninth;
                down[1] += ninth;
            }
    free(a);
    return value;
}
