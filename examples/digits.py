"""A two-layer network that reads digits: plain NumPy, trained by plain gradient descent.

The data set is the one that scikit-learn ships: 1,797 pictures of 8 by 8 pixels. No layer knows how to differentiate
itself; the loss is one function of the weights, and adcompile gives its partials.
"""

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from adcompile import grad

Array = NDArray[np.float64]

HIDDEN = 64
STEPS = 300
RATE = 1.0


def scores(w1: Array, b1: Array, w2: Array, b2: Array, images: Array) -> Array:
    hidden = np.tanh(images @ w1 + b1)
    return hidden @ w2 + b2


# Images and targets are inputs too, but nobody asks for their partials, so these are not computed.
@grad(wrt="w1 b1 w2 b2")
def loss(w1: Array, b1: Array, w2: Array, b2: Array, images: Array, targets: Array) -> float:
    """Cross-entropy between the softmax of the scores and the targets, one row of 0 and 1 for each image."""
    s = scores(w1, b1, w2, b2, images)
    shifted = s - np.max(s, axis=1, keepdims=True)  # the largest exponent is 0: nothing overflows
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(np.sum(targets * log_p, axis=1))


def accuracy(w1: Array, b1: Array, w2: Array, b2: Array, images: Array, labels: NDArray[np.int64]) -> float:
    """The share of images whose highest score is their label's."""
    return float(np.mean(np.argmax(scores(w1, b1, w2, b2, images), axis=1) == labels))


def main() -> None:
    images, labels = load_digits(return_X_y=True)
    images = images / 16.0  # pixels are 0 to 16
    train_images, test_images, train_labels, test_labels = train_test_split(
        images, labels, test_size=0.25, random_state=0, stratify=labels
    )
    targets = np.eye(10)[train_labels]

    # Small random weights, so that no tanh starts saturated and no two hidden units start alike.
    rng = np.random.default_rng(0)
    w1 = rng.standard_normal((64, HIDDEN)) / np.sqrt(64)
    b1 = np.zeros(HIDDEN)
    w2 = rng.standard_normal((HIDDEN, 10)) / np.sqrt(HIDDEN)
    b2 = np.zeros(10)

    for step in range(STEPS + 1):
        value, partials = loss(w1, b1, w2, b2, train_images, targets)
        if step % 100 == 0:
            print(f"step {step}: loss {value:.4f}")
        w1 = w1 - RATE * partials.w1
        b1 = b1 - RATE * partials.b1
        w2 = w2 - RATE * partials.w2
        b2 = b2 - RATE * partials.b2

    print(f"accuracy on images it was trained on = {accuracy(w1, b1, w2, b2, train_images, train_labels):.4f}")
    print(f"accuracy on images it never saw = {accuracy(w1, b1, w2, b2, test_images, test_labels):.4f}")


if __name__ == "__main__":
    main()
