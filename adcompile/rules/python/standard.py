"""What functions of the standard library do to their arguments, where they have no rule.

They are used for their values: nothing that varies may be given to them. Most only look at what they are given, and
then a list may be given to them; some of those also return the same for the same, and may be tried out.

>>> import bisect, json, statistics
>>> [only_looks(f) for f in (statistics.mean, bisect.bisect, bisect.insort, json.dumps, ", ".join)]
[True, True, False, True, True]
>>> [may_be_tried(f) for f in (statistics.mean, json.loads, json.load, print)]
[True, True, False, False]
"""

from __future__ import annotations

import builtins
import collections
import os
import types
from typing import Any

from adcompile.texts.watches import is_consulted, is_standard, top_of

# Modules whose functions return the same for the same, and do nothing else.
_PURE = {
    *("statistics", "bisect", "_bisect", "heapq", "_heapq", "itertools", "operator", "_operator", "functools"),
    *("_functools", "copy", "json", "json.decoder", "json.encoder", "struct", "_struct", "zlib", "binascii", "base64"),
    *("hashlib", "_hashlib", "_md5", "_sha1", "_sha2", "string", "textwrap", "re", "unicodedata", "difflib"),
    *("colorsys", "calendar", "datetime", "_datetime", "fractions", "decimal", "_decimal", "collections"),
    *("_collections", "graphlib", "fnmatch", "html", "urllib.parse", "ipaddress", "ast", "shlex", "posixpath"),
    *("ntpath", "genericpath", "math", "cmath", "numbers", "types", "uuid", "keyword", "pprint", "zoneinfo"),
}
# Those whose functions at least leave what they are given as it is.
_LOOKING = {
    *_PURE,
    *("random", "_random", "os", "pathlib", "csv", "_csv", "io", "_io", "time", "inspect", "logging", "sys", "hmac"),
    *("secrets", "locale", "platform", "enum", "warnings", "typing", "gzip", "bz2", "lzma", "dataclasses"),
    *("pickle", "_pickle", "marshal"),
}
# What changes its arguments all the same, or depends on more than these.
_CHANGING = {
    *("insort", "insort_left", "insort_right", "heappush", "heappop", "heapify", "heapreplace", "heappushpop"),
    *("_heapify_max", "_heappop_max", "_heapreplace_max", "shuffle", "pack_into", "setitem", "delitem", "setcontext"),
    *("iadd", "iand", "iconcat", "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow", "irshift"),
    *("isub", "itruediv", "ixor", "update", "readinto", "dump", "writerow", "writerows", "setattr"),
}
# Methods of lists, dicts, sets and deques that change them.
CONTAINER_CHANGES = {
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "popitem", "add",
    "discard", "__setitem__", "__delitem__", "appendleft", "popleft",
}  # fmt: skip
_AT_ANOTHER_TIME = {
    *("today", "now", "utcnow", "load", "uuid1", "uuid4", "getcontext", "localcontext", "exists", "lexists", "isfile"),
    *("isdir", "islink", "ismount", "getsize", "getmtime", "getatime", "getctime", "abspath", "realpath", "relpath"),
    *("expanduser", "expandvars", "samefile", "sameopenfile", "fromtimestamp"),
}
_CALLING = {
    *("reduce", "partial", "starmap", "methodcaller", "cmp_to_key", "groupby", "takewhile", "dropwhile", "accumulate"),
    *("filterfalse", "singledispatch", "lru_cache", "cache", "wraps", "update_wrapper"),
}
# Modules whose objects have methods that leave what they are given as it is, and keep no numbers.
# What makes a container of its own of the items that it is given.
_GATHERING = {collections.deque, collections.Counter, collections.OrderedDict, collections.defaultdict}
# Classes whose objects never change.
_FIXED = {
    *(("datetime", name) for name in ("date", "time", "datetime", "timedelta", "timezone")),
    *(("fractions", "Fraction"), ("decimal", "Decimal"), ("re", "Pattern"), ("uuid", "UUID"), ("_struct", "Struct")),
    ("statistics", "NormalDist"),
}


def only_looks(function: Any) -> bool:
    """Whether a function changes nothing that it is given, for all that is known of its module."""
    return _is_of(function, _LOOKING)


def gathers(function: Any) -> bool:
    """Whether a function makes a container of its own of the items that it is given.

    >>> gathers(collections.deque), gathers(list)
    (True, False)
    """
    return isinstance(function, type) and function in _GATHERING


def may_be_tried(function: Any) -> bool:
    """Whether a function of the standard library may be tried out: nobody notices, and the next time it is the same."""
    name = getattr(function, "__name__", "")
    return name not in _AT_ANOTHER_TIME and name not in _CALLING and _is_of(function, _PURE)


def is_fixed(value: Any) -> bool:
    """Whether a value is of a class of the standard library whose objects never change.

    >>> from datetime import date
    >>> is_fixed(date(2024, 3, 1)), is_fixed([date])
    (True, False)
    """
    return (type(value).__module__, type(value).__name__) in _FIXED


def is_closed(value: Any) -> bool:
    """Whether a value is an object of a class of the standard library with methods of its own: these are not read."""
    cls = type(value)
    home = cls.__module__.partition(".")[0]
    if home == "builtins" or not is_standard(home):
        return False
    return any(isinstance(v, types.FunctionType) and not k.startswith("__") for k, v in vars(cls).items())


def _is_of(function: Any, modules: set[str]) -> bool:
    name = getattr(function, "__name__", "")
    if name in _CHANGING:
        return False
    owner = getattr(function, "__self__", None)
    if isinstance(owner, types.ModuleType) or owner is None:
        home = getattr(function, "__module__", None) or ""
    elif isinstance(owner, str | bytes) or any(owner is cls for cls in (dict, int, float, bytes, str)):
        return True
    elif isinstance(owner, type) or is_fixed(owner):
        home = (owner if isinstance(owner, type) else type(owner)).__module__
    elif owner is os.environ:
        return name in ("get", "items", "keys", "values", "copy")
    elif is_consulted(owner):  # `random.choice` is a method of a hidden object
        home = top_of(owner)
    else:
        return False
    if function in (frozenset, set, bin, hex, oct, builtins.bytes):
        return True
    return home in modules and is_standard(home.partition(".")[0])
