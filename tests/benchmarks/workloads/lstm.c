#include <math.h>
#include <stdlib.h>
#include <string.h>

static double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

enum { X, HIDDEN, CELL, FORGET, IN, OUT, CHANGE, SQUASHED, KEPT };

double hand(const double *weights, long layers, long gates, long n, const double *biases, long b0, long b1, long b2,
            const double *extra, long e0, long e1, const double *hidden0, long h0, long h1, const double *cell0, long c0,
            long c1, const double *sequence, long characters, long s1, double *weights_bar, double *biases_bar,
            double *extra_bar)
{
    long steps = characters - 1, states = layers * n;
    double *state = malloc(5 * states * sizeof *state), *tape = malloc(steps * KEPT * states * sizeof *tape);
    double *powers = malloc(steps * n * sizeof *powers), *below = malloc(steps * sizeof *below);
    double *hidden = state, *cell = state + states, *hidden_bar = cell + states, *cell_bar = hidden_bar + states;
    double *x_bar = cell_bar + states, total = 0.0;
    memcpy(hidden, hidden0, states * sizeof *hidden);
    memcpy(cell, cell0, states * sizeof *cell);
    for (long t = 0; t < steps; t++) {
        const double *now = sequence + t * n, *next = now + n;
        for (long l = 0; l < layers; l++) {
            const double *w = weights + l * 4 * n, *b = biases + l * 4 * n;
            double *kept = tape + (t * layers + l) * KEPT * n;
            for (long i = 0; i < n; i++) {
                double x = l ? hidden[(l - 1) * n + i] : now[i] * extra[i], h = hidden[l * n + i], c = cell[l * n + i];
                double forget = sigmoid(x * w[i] + b[i]), in = sigmoid(h * w[n + i] + b[n + i]);
                double out = sigmoid(x * w[2 * n + i] + b[2 * n + i]), change = tanh(h * w[3 * n + i] + b[3 * n + i]);
                double after = c * forget + in * change, squashed = tanh(after);
                kept[X * n + i] = x, kept[HIDDEN * n + i] = h, kept[CELL * n + i] = c, kept[FORGET * n + i] = forget;
                kept[IN * n + i] = in, kept[OUT * n + i] = out, kept[CHANGE * n + i] = change;
                kept[SQUASHED * n + i] = squashed;
                cell[l * n + i] = after;
                hidden[l * n + i] = out * squashed;
            }
        }
        double sum = 2.0, dot = 0.0, whole = 0.0;
        for (long i = 0; i < n; i++) {
            double score = hidden[(layers - 1) * n + i] * extra[n + i] + extra[2 * n + i];
            sum += powers[t * n + i] = exp(score);
            dot += next[i] * score;
            whole += next[i];
        }
        below[t] = sum;
        total += dot - whole * log(sum);
    }
    double count = (double)(n * steps);
    memset(weights_bar, 0, 4 * states * sizeof *weights_bar);
    memset(biases_bar, 0, 4 * states * sizeof *biases_bar);
    memset(extra_bar, 0, 3 * n * sizeof *extra_bar);
    memset(hidden_bar, 0, 2 * states * sizeof *hidden_bar);
    for (long t = steps - 1; t >= 0; t--) {
        const double *now = sequence + t * n, *next = now + n, *last = tape + (t * layers + layers - 1) * KEPT * n;
        double whole = 0.0;
        for (long i = 0; i < n; i++)
            whole += next[i];
        for (long i = 0; i < n; i++) {
            double score_bar = -(next[i] - whole / below[t] * powers[t * n + i]) / count;
            extra_bar[n + i] += score_bar * last[OUT * n + i] * last[SQUASHED * n + i];
            extra_bar[2 * n + i] += score_bar;
            x_bar[i] = score_bar * extra[n + i];
        }
        for (long l = layers - 1; l >= 0; l--) {
            const double *w = weights + l * 4 * n, *kept = tape + (t * layers + l) * KEPT * n;
            double *w_bar = weights_bar + l * 4 * n, *b_bar = biases_bar + l * 4 * n;
            for (long i = 0; i < n; i++) {
                double x = kept[X * n + i], h = kept[HIDDEN * n + i], forget = kept[FORGET * n + i], in = kept[IN * n + i];
                double out = kept[OUT * n + i], change = kept[CHANGE * n + i], squashed = kept[SQUASHED * n + i];
                double out_total = x_bar[i] + hidden_bar[l * n + i];
                double c_bar = cell_bar[l * n + i] + out_total * out * (1.0 - squashed * squashed);
                double forget_bar = c_bar * kept[CELL * n + i] * forget * (1.0 - forget);
                double in_bar = c_bar * change * in * (1.0 - in), out_bar = out_total * squashed * out * (1.0 - out);
                double change_bar = c_bar * in * (1.0 - change * change);
                w_bar[i] += forget_bar * x, w_bar[n + i] += in_bar * h;
                w_bar[2 * n + i] += out_bar * x, w_bar[3 * n + i] += change_bar * h;
                b_bar[i] += forget_bar, b_bar[n + i] += in_bar, b_bar[2 * n + i] += out_bar, b_bar[3 * n + i] += change_bar;
                cell_bar[l * n + i] = c_bar * forget;
                hidden_bar[l * n + i] = in_bar * w[n + i] + change_bar * w[3 * n + i];
                x_bar[i] = forget_bar * w[i] + out_bar * w[2 * n + i];
            }
        }
        for (long i = 0; i < n; i++)
            extra_bar[i] += x_bar[i] * now[i];
    }
    free(state);
    free(tape);
    free(powers);
    free(below);
    return -total / count;
}
