# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Dicts whose keys only the run decides: filled by `update` and `setdefault`, copied, merged, changed as copies."""

import collections
from collections import Counter, OrderedDict, defaultdict

import numpy as np

from ..corpus import program, sample


def squares(x):
    d={}
    for i,v in enumerate(x): d[i%2]=v*v
    return d


@program(sample(3))
@program(sample(1))
def updated_by_one_entry(x):
    d=squares(x)
    d.update({0: x[0]*x[-1]})
    return sum(d.values())*d[0]


@program(sample(3))
def updated_by_entries_that_exchange(x):
    d={}
    for i,v in enumerate(x): d[i%2]=v*v
    d.update({0: d[1], 1: d[0]*x[0], 5: d[0]})
    return d[0]*2.0 + d[1]**2 + d[5]*x[1]


@program(sample(4))
def updated_by_another_dict(x):
    d={}; e={}
    for i,v in enumerate(x):
        d[i%3]=v*v
        e[i*2]=v*x[0]
    d.update(e)
    return sum(k*v for k,v in d.items())


@program(sample(3))
def updated_by_pairs(x):
    d={}
    for i,v in enumerate(x): d[i%2]=v*v
    d.update(zip([0,7],x))
    d.update((k+1, v*x[1]) for k,v in enumerate(x))
    d.update([(3, x[2]), (4, x[2]*x[0])])
    return sum(k*v for k,v in d.items())


@program(sample(3))
def updated_by_words(x):
    d=defaultdict(float)
    for name,v in zip(["a","b","a"],x): d[name]+=v
    d.update({"c": x[0]}, a=x[1]*x[2], q=x[0]**2)
    return d["a"]*d["b"]+d["c"]*d["q"]


@program(sample(3))
def filled_by_updates_alone(x):
    d={}
    for i,v in enumerate(x): d.update({i: v*v})
    e=OrderedDict()
    for i,v in enumerate(x): e.update({i%2: v})
    return sum(d.values())*e[0]


@program(["a","b","c"], sample(3))
@program(["a","b","a"], sample(3))
def filled_from_names_and_values(names, x):
    d={}
    d.update(zip(names, x))
    d["a"]=d["a"]*x[1]
    return sum(d.values())*x[0]


@program(sample(3))
def updated_by_an_operator(x):
    d={}
    for i,v in enumerate(x): d[i]=v*v
    d|={1: x[0], 9: x[1]*x[2]}
    return sum(k*v for k,v in d.items())


@program(sample(3), 5, static="k")
@program(sample(3), 1, static="k")
def set_where_it_is_new(x, k):
    d={}
    for i,v in enumerate(x): d[i]=v*v
    d.setdefault(k, x[0]*x[1])
    return sum(d.values())*d[k]


@program(sample(3), 5, static="k")
@program(sample(3), 1, static="k")
def set_where_it_is_new_and_read(x, k):
    d={}
    for i,v in enumerate(x): d[i]=v*v
    v=d.setdefault(k, x[2])
    return v*x[0]+sum(d.values())


@program(sample(5))
def first_of_each(x):
    first={}
    for v in x:
        first.setdefault(v>0, v*v)
    return sum(first.values())*x[0]


@program(sample(3))
def copied_and_changed(x):
    d={}
    for i,v in enumerate(x): d[i]=v*v
    e=d.copy(); f=dict(d)
    e[0]=x[1]; f[1]*=x[2]
    return sum(d.values())*sum(e.values())*sum(f.values())


@program(sample(3))
def merged_as_a_display(x):
    d={}
    for i,v in enumerate(x): d[i]=v*v
    e={7: x[0], **d, 0: x[1]}
    return sum(d.values())*sum(k*v for k,v in e.items())


@program(sample(3))
def merged_by_an_operator(x):
    d={}
    for i,v in enumerate(x): d[i]=v*v
    e=d|{0: x[1]*x[2]}
    f={0: x[0], 8: x[1]}|d
    return sum(d.values())*sum(e.values())+f[0]*f[8]


@program(sample(3), 2, static="k")
@program(sample(3), 0, static="k")
def written_out_with_keys_of_the_run(x, k):
    d={k: x[0]*x[1], k+1: x[2], 0: x[1]}
    return sum((key+1)*v for key,v in d.items())


@program(sample(3))
def a_table_of_arrays_updated(x):
    d={}
    for i,v in enumerate(x): d[i]=x*v
    d.update({1: x*x, 4: np.ones(3)*x[0]})
    e=d.copy()
    e[1]=e[1]*x
    return np.sum(d[1]*e[1])+np.sum(e[4])


@program(sample(3))
def updated_from_itself(x):
    d={}
    for i,v in enumerate(x): d[i]=v*v
    d.update(d)
    d.update({k: v*x[0] for k,v in d.items()})
    return sum(d.values())


@program(sample(3))
def counter_that_subtracts(x):
    c=Counter()
    c["a"]+=x[0]*x[1]
    c.subtract({"a": x[2]})
    return c["a"]*x[0]


@program(sample(3))
def counter_that_adds_up(x):
    c=Counter()
    for i,v in enumerate(x): c[i%2]+=v*v
    c.update({0: x[1]})
    return c[0]*c[1]


@program(sample(3))
def item_set_by_its_method(x):
    d={}
    for i,v in enumerate(x): d[i]=v*v
    d.__setitem__(0, x[1]*x[2])
    return sum(d.values())*x[0]


@program(sample(3))
def named_where_it_is_changed(x):
    y=x*1.0; i=0
    (a:=y)[0]=x[1]*x[2]
    y[(i:=i+1)]=x[0]*x[2]
    y[(i:=i+1)]*=x[1]
    return np.sum(y*a)*i


@program(sample(3))
def named_behind_the_value(x):
    y=x*1.0; i=2
    y[(i:=1)]=y[i]*x[0]*(i:=2)
    return np.sum(y*x)*i


@program(sample(3))
def named_in_a_target_of_several(x):
    y=x*1.0
    y[(i:=1)],y[i+1]=x[0]*x[1],x[2]**2
    return np.sum(y*x)*i
