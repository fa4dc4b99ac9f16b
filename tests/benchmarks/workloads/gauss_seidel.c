#include <stdlib.h>
#include <string.h>

double hand(const double *given, long n, long m, long sweeps, double *u_bar)
{
    double *u = malloc(n * m * sizeof *u);
    memcpy(u, given, n * m * sizeof *u);
    for (long t = 0; t < sweeps; t++)
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < m - 1; j++) {
                double *at = u + i * m + j;
                *at = 0.25 * (at[-m] + at[m] + at[-1] + at[1]);
            }
    double value = 0.0;
    for (long i = 0; i < n * m; i++) {
        value += u[i] * u[i];
        u_bar[i] = 2.0 * u[i];
    }
    for (long t = 0; t < sweeps; t++)
        for (long i = n - 2; i > 0; i--)
            for (long j = m - 2; j > 0; j--) {
                double *at = u_bar + i * m + j;
                double quarter = 0.25 * *at;
                *at = 0.0;
                at[-m] += quarter;
                at[m] += quarter;
                at[-1] += quarter;
                at[1] += quarter;
            }
    free(u);
    return value;
}
