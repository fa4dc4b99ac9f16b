#include <stdlib.h>
#include <string.h>

double hand(const double *given, long n, long steps, double *u_bar)
{
    const double c = 0.02, d = 0.05;
    double *tape = malloc((steps + 1) * n * sizeof *tape), *next = malloc(n * sizeof *next);
    memcpy(tape, given, n * sizeof *tape);
    for (long t = 0; t < steps; t++) {
        const double *restrict old = tape + t * n;
        double *restrict u = tape + (t + 1) * n;
        u[0] = old[0];
        u[n - 1] = old[n - 1];
        for (long i = 1; i < n - 1; i++)
            u[i] = old[i] - c * old[i] * (old[i] - old[i - 1]) + d * (old[i + 1] - 2.0 * old[i] + old[i - 1]);
    }
    const double *last = tape + steps * n;
    double value = 0.0;
    for (long i = 0; i < n; i++) {
        value += last[i] * last[i];
        u_bar[i] = 2.0 * last[i];
    }
    for (long t = steps - 1; t >= 0; t--) {
        /* Gathered: each element takes what its own and its neighbours' steps give back; the ends make no step. */
        const double *restrict old = tape + t * n;
        double *restrict g = u_bar, *restrict to = next;
        double first = g[0], end = g[n - 1];
        g[0] = g[n - 1] = 0.0;
        for (long i = 1; i < n - 1; i++)
            to[i] = g[i] * (1.0 - 2.0 * d + c * (old[i - 1] - 2.0 * old[i])) + g[i + 1] * (c * old[i + 1] + d)
                    + d * g[i - 1];
        to[0] = first + g[1] * (c * old[1] + d);
        to[n - 1] = end + d * g[n - 2];
        memcpy(u_bar, next, n * sizeof *next);
    }
    free(tape);
    free(next);
    return value;
}
