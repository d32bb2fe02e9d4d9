"""What became of the receipts of an outage, by the paper and by what the spooler says of them."""

from .spoolers import ENDED


class Verdict:
    def __init__(self, outage, spooler, labels, over):
        self.outage, self.spooler, self.labels, self.over = outage, spooler, labels, over
        self.told, self.copies, self.resumed, self.waited = {}, [], None, 0

    def whole(self, label):
        return [time for time, printed, is_whole in self.copies if printed == label and is_whole]

    @property
    def words(self):
        """The table's cell; what nobody wants is in bold."""
        found = {label: self.whole(label) for label in self.labels}
        printed = [label for label in self.labels if found[label]]
        parts = [self.unwanted(found, printed)] if self.outage.expiry else [self.in_time(found, printed)]
        parts += self.lost(found)
        doubled = [label for label in printed if len(found[label]) > 1]
        if doubled:
            is_told = all(self.told[label][2] for label in doubled)
            parts.append(f"**{len(doubled)} doubled**" + (", and says so" if is_told else ""))
        unconfirmed = [label for label in printed if self.told[label][2] and label not in doubled]
        if unconfirmed:
            parts.append(f"says unconfirmed of {len(unconfirmed)}")
        order = [label for _, label, is_whole in self.copies if is_whole]
        if len(printed) > 1 and list(dict.fromkeys(order)) != printed:
            parts.append("**out of order**")
        return "; ".join(part for part in parts if part)

    def in_time(self, found, printed):
        if not printed:
            return ""
        before_hand = [label for label in printed if self.resumed is None or found[label][0] < self.resumed]
        parts = []
        if before_hand:
            parts.append(f"{len(before_hand)} of {len(self.labels)} printed, {self.after(found, before_hand)}")
        if len(before_hand) < len(printed):
            parts.append(f"**{len(printed) - len(before_hand)} held until `{self.spooler.needs}`**")
        return "; ".join(parts)

    def after(self, found, labels):
        times = sorted(found[label][0] - self.over for label in labels if found[label][0] > self.over)
        if not times:
            return "at once"  # before the trouble, or in spite of it
        first, last = times[0], times[-1]
        if last - first >= 5:
            return f"{first:.0f} to {last:.0f} s after"
        return f"{first:.1f} s after" if first >= 0.1 else "at once"

    def unwanted(self, found, printed):
        count = len(printed)
        return f"**{count} printed late**" if count else "none printed late"

    def lost(self, found):
        """Receipts without a whole copy, by what the spooler says of them."""
        states = {}
        for label in self.labels:
            if not found[label]:
                state, reasons, is_unconfirmed = self.told.get(label, ("unknown", "", False))
                state = reasons if state == "canceled" and reasons else state
                state += ", unconfirmed" if is_unconfirmed else ""
                states[state] = states.get(state, 0) + 1
        for state, count in states.items():
            has_ended = state.split(", ")[0] in ENDED
            if self.outage.expiry and not state.startswith("completed"):
                yield f"{count} ended: {state}" if has_ended or "expired" in state else f"{count} {state}"
            elif has_ended or state == "unknown":
                says = "knows nothing of it" if state == "unknown" else f"says {state}"
                yield f"**{count} lost** ({says})"
            else:
                yield f"**{count} still {state} after {self.waited:.0f} s**"
