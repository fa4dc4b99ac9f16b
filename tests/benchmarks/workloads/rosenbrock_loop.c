#define VALLEY(i) (x[(i) + 1] - x[i] * x[i])

double hand(const double *restrict x, long n, double *restrict x_bar)
{
    /* Gathered: element i takes from the term that it leads and from the one before. */
    double total = 0.0;
    for (long i = 0; i < n - 1; i++) {
        double here = x[i], valley = VALLEY(i);
        total += 100.0 * valley * valley + (1.0 - here) * (1.0 - here);
        x_bar[i] = -2.0 * (200.0 * valley * here + 1.0 - here);
    }
    x_bar[n - 1] = 0.0;
    for (long i = 1; i < n; i++)
        x_bar[i] += 200.0 * VALLEY(i - 1);
    return total;
}
