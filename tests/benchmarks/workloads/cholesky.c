#include <math.h>
#include <stdlib.h>

double hand(const double *a, long n, long m, double *a_bar)
{
    double *factor = calloc(n * n, sizeof *factor), *factor_bar = malloc(n * n * sizeof *factor_bar);
    double value = 0.0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++) {
            const double *row = factor + i * n, *other = factor + j * n;
            double s = a[i * m + j];
            for (long k = 0; k < j; k++)
                s -= row[k] * other[k];
            s = i == j ? sqrt(s) : s / other[j];
            factor[i * n + j] = s;
            value += s;
        }
    for (long i = 0; i < n * n; i++) {
        factor_bar[i] = 1.0;
        a_bar[i] = 0.0;
    }
    for (long i = n - 1; i >= 0; i--)
        for (long j = i; j >= 0; j--) {
            const double *row = factor + i * n, *other = factor + j * n;
            double *row_bar = factor_bar + i * n, *other_bar = factor_bar + j * n;
            double s_bar;
            if (i == j) {
                s_bar = 0.5 * row_bar[i] / row[i];
                /* Both rows are the same one. */
                for (long k = 0; k < j; k++)
                    row_bar[k] -= 2.0 * s_bar * row[k];
            } else {
                double *restrict to_row = row_bar, *restrict to_other = other_bar;
                s_bar = row_bar[j] / other[j];
                other_bar[j] -= s_bar * row[j];
                for (long k = 0; k < j; k++) {
                    to_row[k] -= s_bar * other[k];
                    to_other[k] -= s_bar * row[k];
                }
            }
            a_bar[i * m + j] = s_bar;
        }
    free(factor);
    free(factor_bar);
    return value;
}
