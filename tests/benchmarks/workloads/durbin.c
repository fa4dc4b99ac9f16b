#include <stdlib.h>
#include <string.h>

double hand(const double *r, long n, double *r_bar)
{
    /* Row k of the tape is y before step k. */
    double *tape = malloc(n * n * sizeof *tape), *beta = malloc(n * sizeof *beta);
    double *y = malloc(n * sizeof *y), *y_bar = malloc(n * sizeof *y_bar), *copy = malloc(n * sizeof *copy);
    double alpha = -r[0], value = 0.0;
    y[0] = alpha;
    beta[0] = 1.0;
    for (long k = 1; k < n; k++) {
        double *before = tape + k * n, dot = 0.0;
        memcpy(before, y, k * sizeof *y);
        beta[k] = (1.0 - alpha * alpha) * beta[k - 1];
        for (long i = 0; i < k; i++)
            dot += r[k - 1 - i] * before[i];
        alpha = -(r[k] + dot) / beta[k];
        for (long i = 0; i < k; i++)
            y[i] = before[i] + alpha * before[k - 1 - i];
        y[k] = alpha;
    }
    for (long i = 0; i < n; i++) {
        value += y[i] * y[i];
        y_bar[i] = 2.0 * y[i];
        r_bar[i] = 0.0;
    }
    double alpha_bar = 0.0, beta_bar = 0.0;
    for (long k = n - 1; k > 0; k--) {
        const double *before = tape + k * n;
        memcpy(copy, y_bar, k * sizeof *copy);
        alpha_bar += y_bar[k];
        for (long i = 0; i < k; i++)
            alpha_bar += copy[i] * before[k - 1 - i];
        double top_bar = -alpha_bar / beta[k];
        beta_bar += top_bar * alpha;
        r_bar[k] += top_bar;
        for (long i = 0; i < k; i++) {
            y_bar[i] = copy[i] + alpha * copy[k - 1 - i] + top_bar * r[k - 1 - i];
            r_bar[i] += top_bar * before[k - 1 - i];
        }
        alpha = before[k - 1];
        alpha_bar = -2.0 * alpha * beta[k - 1] * beta_bar;
        beta_bar = (1.0 - alpha * alpha) * beta_bar;
    }
    r_bar[0] -= alpha_bar + y_bar[0];
    free(tape);
    free(beta);
    free(y);
    free(y_bar);
    free(copy);
    return value;
}
