# ruff: noqa
# The functions are what people write, lint included: to tidy them up would take cases away.
"""Functions that must be refused: what they do cannot be run backward, or outlives the call, or is not written down.

`CASES` holds for each the arguments to compile it for and a part of what the refusal must say.
"""

import builtins
import functools
import inspect
import heapq
import itertools
import math
import os
import sys
import threading
import types
from dataclasses import dataclass
from inspect import currentframe as current_frame

import numpy as np

history = []
cache = {}
settings = {"rate": 0.3}
state = np.zeros(3)
total = 0.0
seen = set()
module = types.ModuleType("elsewhere")
module.level = 1.0


@dataclass
class Log:
    last: float = 0.0
    count: int = 0


@dataclass
class Fields:
    fields: dict


class Model:
    calls = 0
    weights = np.ones(3)

    def __init__(self, scale):
        self.scale = scale
        self.last = 0.0

    def energy(self, x):
        self.last = self.scale * x * x
        return self.last


log = Log()
model = Model(2.0)
thing = types.SimpleNamespace(value=1.0)


def item_behind_the_end_of_an_iterator(x):
    items = [x, 2.0 * x]
    it = iter(items)
    s = sum(next(it, 0.0) for _ in range(3))
    items.append(x * x)
    return s + next(it, x)  # nothing comes behind the end


def reversed_while_it_grows(x):
    items = [x, 2.0 * x]
    backwards = reversed(items)
    items.append(x * x)
    s = 0.0
    for item in backwards:
        s = s * 0.5 + item
    return s


def grow(items, x):
    items.append(x * x)


def reversed_while_a_function_adds_to_it(x):
    items = [x, 2.0 * x]
    backwards = reversed(items)
    grow(items, x)
    return sum(item * item for item in backwards)


def reversed_while_a_library_adds_to_it(x):
    items = [x, 2.0 * x]
    backwards = reversed(items)
    heapq.heappush(items, 3.0 * x)
    return sum(item * item for item in backwards)


def reversed_while_a_method_under_a_name_adds_to_it(x):
    items = [x, 2.0 * x]
    add = items.append
    backwards = reversed(items)
    add(x * x)
    return sum(item * item for item in backwards)


def some_of_an_iterator_and_the_rest(x):
    it = iter([x, x * x, 3.0])
    s = sum(v * v for v in itertools.islice(it, 2))
    return s + sum(it)


def zip_that_leaves_some_of_an_iterator(x):
    it = iter([x, x * x, 3.0])
    s = sum(u * v for u, v in zip(it, [x]))
    return s + sum(it)


def exchange_fields(o, x):
    o.fields = {"a": x * x}


def view_of_a_field_that_a_function_exchanges(x):
    o = Fields({"a": x})
    shown = o.fields.values()
    exchange_fields(o, x)
    return sum(shown) + o.fields["a"] ** 2


def any_of_an_iterator(x):
    it = iter([x, x * x, 3.0])
    return x + sum(it) if any(it) else x


def append_to_a_global_list(x):
    y = x * x
    history.append(y)
    return y * x


def append_to_a_global_list_in_a_loop(x):
    for i in range(3):
        x = x * x
        history.append(x)
    return x


def item_of_a_global_list(x):
    history[0] = x * x
    return history[0]


def augmented_global_list(x):
    global history
    history += [x]
    return x * x


def append_through_a_local_name(x):
    trace = history
    trace.append(x * x)
    return x


def helper_that_appends(value):
    history.append(value)
    return value * value


def append_in_a_helper(x):
    return helper_that_appends(x) * x


def item_of_a_global_dict(x):
    cache["square"] = x * x
    return cache["square"]


def update_of_a_global_dict(x):
    settings.update(rate=x)
    return settings["rate"] * x


def memo_in_a_global_dict(x):
    key = round(x, 3)
    if key not in cache:
        cache[key] = math.sin(x) * x
    return cache[key]


def global_set(x):
    seen.add(3)
    return x * len(seen)


def element_of_a_global_array(x):
    state[0] = x * x
    return np.sum(state)


def global_array_augmented(x):
    a = state
    a += x
    return np.sum(a)


def global_array_through_a_view(x):
    state[1:][0] = x
    return np.sum(state * x)


def global_array_as_output(x):
    np.multiply(x, x, out=state)
    return np.sum(state)


def global_array_sorted(x):
    state.sort()
    return np.sum(state * x)


def global_number_assigned(x):
    global total
    total = x * x
    return total


def global_number_augmented(x):
    global total
    total += x
    return total * x


def global_deleted(x):
    global total
    del total
    return x


def attribute_of_a_global_object(x):
    log.last = x * x
    return log.last


def augmented_attribute_of_a_global_object(x):
    log.count += 1
    return x * log.count


def attribute_of_a_global_namespace(x):
    thing.value = x * x
    return thing.value


def setattr_on_a_global_object(x):
    setattr(thing, "value", x * x)
    return thing.value


def attribute_of_a_module(x):
    module.level = x * x
    return module.level


def setattr_on_a_module(x):
    setattr(module, "level", x)
    return module.level * x


def attribute_of_a_class(x):
    Model.calls += 1
    return x * Model.calls


def array_of_a_class(x):
    Model.weights[0] = x
    return np.sum(Model.weights)


def attribute_of_a_function(x):
    append_to_a_global_list.gain = x
    return append_to_a_global_list.gain * x


def make_counter():
    count = 0

    def counter(x):
        nonlocal count
        count += 1
        return x * count

    return counter


def make_recorder():
    values = []

    def recorder(x):
        values.append(x * x)
        return sum(values)

    return recorder


def make_writer():
    buffer = np.zeros(3)

    def writer(x):
        buffer[:] = x * x
        return np.sum(buffer)

    return writer


def make_holder():
    held = Log()

    def holder(x):
        held.last = x * x
        return held.last

    return holder


def default_of_a_local_function_is_global(x):
    def inner(y, buffer=state):
        buffer[0] = y
        return buffer[0] * y

    return inner(x)


@functools.lru_cache(maxsize=None)
def cached_square(x):
    history.append(x)
    return x * x


def call_of_a_cached_function_that_writes(x):
    return cached_square(x) * x


async def coroutine(x):
    return x * x


def coroutine_inside(x):
    async def inner(t):
        return t * t

    async def outer(t):
        return await inner(t)

    return outer(x)


def generator(x):
    for k in range(3):
        yield x**k


def numbers_without_end():
    n = 0
    while True:
        n += 1
        yield n


endless = numbers_without_end()
pair_of_numbers = iter([1.0, 2.0, 3.0])


def generator_that_keeps_its_state(x):
    return x * next(endless)


def iterator_that_keeps_its_state(x):
    s = 0.0
    for v in pair_of_numbers:
        s += v * x
    return s


def code_made_by_exec(x):
    space = {"x": x}
    exec("y = x * x", space)
    return space["y"]


def code_made_by_eval(x):
    return eval("x * x")


def code_made_by_compile(x):
    return eval(compile("x * x", "<made>", "eval"), {"x": x})


def locals_read(x):
    y = x * x
    return locals()["y"]


def globals_written(x):
    globals()["total"] = x
    return x * x


def frame_of_inspect(x):
    return inspect.currentframe().f_locals["x"] * x


def frame_by_another_name(x):
    return current_frame().f_locals["x"] * x


def frame_read(x):
    return sys._getframe().f_locals["x"] * x


def attribute_of_the_built_ins(x):
    builtins.made_by_a_case = x * x
    return builtins.made_by_a_case


def environment_written(x):
    os.environ["ADCOMPILE_TEST_CASE"] = str(x)
    return float(os.environ["ADCOMPILE_TEST_CASE"])


def text_parsed_back(x):
    return float(f"{x:.6f}") * x


def thread_started(x):
    out = []
    worker = threading.Thread(target=lambda: out.append(x * x))
    worker.start()
    worker.join()
    return out[0]


def object_array(x):
    a = np.empty(2, dtype=object)
    a[0] = x
    a[1] = x * x
    return a[0] * a[1]


def structured_array(x):
    a = np.zeros(2, dtype=[("p", float), ("q", float)])
    a["p"][0] = x
    a[1] = (x * x, 2.0)
    return a["p"][0] * a["p"][1]


def bytes_of_an_array(x):
    return np.frombuffer(x.tobytes())[0] * x[1]


def imaginary_part_of_the_value(x):
    return x * 1j


def sum_into_a_stretched_number(x):
    ones = np.broadcast_to(1.0, x.shape)
    np.add.at(ones, 0, x[1])
    return np.sum(ones)


def put_first(into, value):
    np.add.at(into, 0, value)


def sum_into_a_stretched_number_by_a_helper(x):
    ones = np.broadcast_to(1.0, x.shape)
    put_first(ones[1:], x[1])
    return np.sum(ones)


def sum_into_windows(x):
    windows = np.lib.stride_tricks.sliding_window_view(x, 2)
    np.add.at(windows.T[0], 0, x[1])
    return np.sum(windows * windows)


def sum_into_a_stretched_number_of_the_step_before(x):
    ones = np.broadcast_to(1.0, x.shape)
    for i in range(3):
        np.add.at(ones, i, x[1])
        ones = ones * 1.0
    return np.sum(ones)


OUTSIDE = "lives outside"
A = np.array([0.5, 1.2, 0.7])

CASES = [
    (append_to_a_global_list, (1.2,), "`history`, which " + OUTSIDE),
    (append_to_a_global_list_in_a_loop, (1.2,), "`history`, which " + OUTSIDE),
    (item_of_a_global_list, (1.2,), OUTSIDE),
    (augmented_global_list, (1.2,), "`history`, which " + OUTSIDE),
    (append_through_a_local_name, (1.2,), OUTSIDE),
    (append_in_a_helper, (1.2,), OUTSIDE),
    (item_of_a_global_dict, (1.2,), OUTSIDE),
    (update_of_a_global_dict, (1.2,), OUTSIDE),
    (memo_in_a_global_dict, (1.2,), OUTSIDE),
    (global_set, (1.2,), OUTSIDE),
    (element_of_a_global_array, (1.2,), OUTSIDE),
    (global_array_augmented, (1.2,), OUTSIDE),
    (global_array_through_a_view, (1.2,), OUTSIDE),
    (global_array_as_output, (A,), OUTSIDE),
    (global_array_sorted, (A,), OUTSIDE),
    (global_number_assigned, (1.2,), "`total`, which " + OUTSIDE),
    (global_number_augmented, (1.2,), "`total`, which " + OUTSIDE),
    (global_deleted, (1.2,), "`total`"),
    (attribute_of_a_global_object, (1.2,), OUTSIDE),
    (augmented_attribute_of_a_global_object, (1.2,), OUTSIDE),
    (attribute_of_a_global_namespace, (1.2,), OUTSIDE),
    (setattr_on_a_global_object, (1.2,), "setattr"),
    (attribute_of_a_module, (1.2,), OUTSIDE),
    (setattr_on_a_module, (1.2,), "setattr"),
    (attribute_of_a_class, (1.2,), OUTSIDE),
    (array_of_a_class, (1.2,), OUTSIDE),
    (attribute_of_a_function, (1.2,), OUTSIDE),
    (make_counter(), (1.2,), "`count`, which " + OUTSIDE),
    (make_recorder(), (1.2,), "`values`, which " + OUTSIDE),
    (make_writer(), (A,), "`buffer`, which " + OUTSIDE),
    (make_holder(), (1.2,), "`held`"),
    (default_of_a_local_function_is_global, (1.2,), OUTSIDE),
    (call_of_a_cached_function_that_writes, (1.2,), OUTSIDE),
    (coroutine, (1.2,), "coroutine"),
    (coroutine_inside, (1.2,), "coroutine"),
    (generator, (1.2,), "generator"),
    (generator_that_keeps_its_state, (1.2,), "endless"),
    (iterator_that_keeps_its_state, (1.2,), "pair_of_numbers"),
    (code_made_by_exec, (1.2,), "makes at run time"),
    (code_made_by_eval, (1.2,), "makes at run time"),
    (code_made_by_compile, (1.2,), "makes at run time"),
    (locals_read, (1.2,), "`locals`"),
    (globals_written, (1.2,), "`globals`"),
    (frame_read, (1.2,), "_getframe"),
    (frame_of_inspect, (1.2,), "inspect.currentframe"),
    (frame_by_another_name, (1.2,), "current_frame"),
    (attribute_of_the_built_ins, (1.2,), "made_by_a_case"),
    (environment_written, (1.2,), "os.environ["),
    (text_parsed_back, (1.2,), "float"),
    (thread_started, (1.2,), "thread_started"),
    (object_array, (1.2,), "object"),
    (structured_array, (1.2,), "dtype"),
    (bytes_of_an_array, (A,), "frombuffer"),
    (imaginary_part_of_the_value, (1.2,), "real"),
    (sum_into_a_stretched_number, (A,), "one item at many places"),
    (sum_into_a_stretched_number_by_a_helper, (A,), "one item at many places"),
    (item_behind_the_end_of_an_iterator, (1.2,), "cannot"),
    (reversed_while_it_grows, (1.2,), "cannot"),
    (reversed_while_a_function_adds_to_it, (1.2,), "cannot"),
    (reversed_while_a_library_adds_to_it, (1.2,), "cannot"),
    (reversed_while_a_method_under_a_name_adds_to_it, (1.2,), "cannot"),
    (some_of_an_iterator_and_the_rest, (1.2,), "cannot"),
    (zip_that_leaves_some_of_an_iterator, (1.2,), "cannot"),
    (view_of_a_field_that_a_function_exchanges, (1.2,), "cannot"),
    (any_of_an_iterator, (1.2,), "cannot"),
    (sum_into_windows, (A,), "one item at many places"),
    (sum_into_a_stretched_number_of_the_step_before, (A,), "one item at many places"),
]
