package io.verbena.tools.impair;

import io.verbena.base.Digest;

/**
 * A rule in effect. What happens to the n-th packet that meets its conditions depends on the seed and n only, and what one effect draws does not
 * change with the others.
 */
final class ActiveRule {

    /** What a random number is for. */
    private enum Draw {
        LOSS,
        DUPLICATE,
        CORRUPT,
        BIT,
        TRIM,
        MARK,
        JITTER,
        REORDER
    }

    private static final double UNIT = 0x1p-53;
    private static final int UNIT_SHIFT = 11;

    private final Rule rule;
    private final long seed;
    private final int dscp;
    private final RuleFigures figures;

    /** With the seed of this rule, and the DSCP of a trimmed packet or {@link Trimming#SAME_DSCP}. */
    ActiveRule(Rule rule, long seed, int dscp, long sinceNs) {
        this.rule = rule;
        this.seed = seed;
        this.dscp = dscp;
        this.figures = new RuleFigures(rule.text(), sinceNs);
    }

    Rule rule() {
        return rule;
    }

    RuleFigures figures() {
        return figures;
    }

    /** What happens to a packet besides changes of its bytes. */
    static final class Outcome {
        boolean lost;
        boolean duplicated;
        boolean reordered;
        long delayNs;
    }

    /** Changes a packet that meets the conditions, and says what else happens to it. */
    void apply(Packet packet, Outcome outcome) {
        long n = ++figures.matched;
        Effects.Chances chances = rule.effects().chances();
        outcome.lost = happens(Draw.LOSS, n, chances.loss());
        outcome.duplicated = false;
        outcome.reordered = false;
        outcome.delayNs = 0;
        if (outcome.lost) {
            figures.lost++;
            return;
        }
        change(packet, n, chances);
        delay(outcome, n, rule.effects().delay());
        if (happens(Draw.DUPLICATE, n, chances.duplicate())) {
            outcome.duplicated = true;
            figures.duplicated++;
        }
    }

    private void change(Packet packet, long n, Effects.Chances chances) {
        if (happens(Draw.TRIM, n, chances.trim())) {
            if (Trimming.trim(packet, dscp)) {
                figures.trimmed++;
            } else {
                figures.unfit++;
            }
        }
        if (happens(Draw.MARK, n, chances.mark())) {
            if (Marks.mark(packet)) {
                figures.marked++;
            } else {
                figures.unfit++;
            }
        }
        if (happens(Draw.CORRUPT, n, chances.corrupt())) {
            if (Damage.corrupt(packet, draw(Draw.BIT, n))) {
                figures.corrupted++;
            } else {
                figures.unfit++;
            }
        }
    }

    private void delay(Outcome outcome, long n, Effects.Delay delay) {
        outcome.delayNs = delay.delayNs() + (long) (share(Draw.JITTER, n) * delay.jitterNs());
        if (outcome.delayNs > 0) {
            figures.delayed++;
        }
        if (happens(Draw.REORDER, n, delay.reorder())) {
            outcome.reordered = true;
            outcome.delayNs += delay.reorderNs();
            figures.reordered++;
        }
    }

    private boolean happens(Draw purpose, long n, double chance) {
        return chance > 0 && share(purpose, n) < chance;
    }

    /** A random number from 0 to 1, without 1. */
    private double share(Draw purpose, long n) {
        return (draw(purpose, n) >>> UNIT_SHIFT) * UNIT;
    }

    private long draw(Draw purpose, long n) {
        return Digest.mix(Digest.mix(seed, purpose.ordinal()), n);
    }
}
