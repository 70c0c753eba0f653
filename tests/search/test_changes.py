import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hypertorus.search._changes import Change, Changes, net


@given(st.lists(st.sets(st.integers(0, 9)), max_size=12), st.sets(st.integers(0, 9)))
def test_what_changes_come_to(toggled, start):
    """Ids that are there are removed and others are added, in any order; the net does the same to the first state."""
    there, changes = dict.fromkeys(sorted(start)), []
    for ids in toggled:
        gone, fresh = [one for one in ids if one in there], [one for one in ids if one not in there]
        for one in gone:
            del there[one]
        there |= dict.fromkeys(fresh)
        changes += [Change(len(changes), added=False, ids=np.array(gone, np.int64))]
        changes += [Change(len(changes), added=True, ids=np.array(fresh, np.int64))]
    removed, added = net(changes)
    again = dict.fromkeys(sorted(start))
    for one in removed.tolist():
        del again[one]
    assert not again.keys() & set(added.tolist())
    again |= dict.fromkeys(added.tolist())
    assert list(again) == list(there)


def test_too_many_changes_are_forgotten():
    changes = Changes()
    changes.note(Change(1, added=True, ids=np.arange(3)), most=5)
    assert changes.between(0, 1).added.tolist() == [0, 1, 2]
    changes.note(Change(2, added=True, ids=np.arange(3, 6)), most=5)
    assert changes.between(0, 2) is None
    changes.note(Change(3, added=False, ids=np.arange(2)), most=5)
    assert changes.between(0, 3) is None
    assert changes.between(2, 3).removed.tolist() == [0, 1]
    assert changes.between(2, 2).removed.tolist() == []
    changes.forget(3)
    assert changes.between(2, 3) is None
    assert changes.between(3, 3).added.tolist() == []
