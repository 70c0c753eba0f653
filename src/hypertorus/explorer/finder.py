"""Finds: answers the questions of the page that need nothing but the index."""

from __future__ import annotations

from typing import Any

import numpy as np

from hypertorus.explorer.asked import MOST, Asked
from hypertorus.explorer.cards import card, cards
from hypertorus.explorer.collection import Collection, Scale
from hypertorus.explorer.find import nearest
from hypertorus.explorer.query import known, query_of
from hypertorus.explorer.uploads import Uploads
from hypertorus.integrations.texts import Texts


class Finder:
    """Answers the questions of the page that need nothing but the index."""

    def __init__(self, collection: Collection, sentences: Texts | None, uploads: Uploads) -> None:
        self.collection, self.sentences, self.uploads = collection, sentences, uploads
        self.scale = Scale(collection.index)

    def about(self) -> dict[str, Any]:
        index = self.collection.index
        return {
            "kind": self.collection.kind,
            "title": self.collection.title,
            "count": len(index),
            "metric": index.metric,
            "chance": self.scale.chance,
            "texts": self.sentences is not None,
            "drop": list(self.collection.drop),
            "largest": self.uploads.largest,
            **self.collection.facts(),
        }

    def search(self, asked: Asked) -> dict[str, Any]:
        """Return the nearest items of a query as cards, with distances as shares."""
        k = asked.whole("k", 1, MOST, 24)
        query = query_of(asked, self.collection, self.uploads, self.sentences)
        hits = nearest(self.collection, query.codes, k, leave_out=query.leave_out, one_each=asked.flag("one_each"))
        results = []
        for hit in hits:
            facts = {**card(self.collection, hit.number), "distance": self.scale.share(hit.distance)}
            facts |= {"same": hit.same, "more": hit.more}
            if len(query.starts) > 1:
                facts["at"] = query.starts[hit.row]
            results.append(facts)
        return {"sentence": query.sentence, "query": cards(self.collection, query.leave_out), "results": results}

    def browse(self, asked: Asked) -> dict[str, Any]:
        """Return items at random, those whose names contain a text, or some by their ids."""
        k, ids = asked.whole("k", 1, MOST, 24), self.collection.index.ids
        if "ids" in asked:
            chosen = np.array(known(self.collection, asked.ids("ids"))[:k])
            sentence = f"{len(chosen)} of those that were chosen"
        elif "named" in asked:
            part = asked.text("named")
            ids = self.collection.named(part)
            sentence = f"{len(ids):,} of {len(self.collection.index):,} have “{part}” in their names"
            chosen = ids[:k]
        else:
            rng = np.random.default_rng(asked.whole("seed", 0, 2**31, 0))
            sentence = "A handful at random"
            chosen = rng.choice(ids, min(k, len(ids)), replace=False)
        return {"sentence": sentence, "query": [], "results": cards(self.collection, chosen.tolist())}
