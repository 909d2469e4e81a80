package io.verbena.fabric.node;

/**
 * How the switches of a fabric work.
 *
 * @param organisation where frames wait
 * @param iterations iterations of iSLIP per match, 1 or more
 * @param delayTicks time from the arrival of a flit to the earliest start of its transmission
 * @param adaptive whether a switch chooses among the ports that {@link Wiring} allows for a destination, by their load; frames
 *     of one path may then arrive in another order
 */
public record SwitchSettings(Organisation organisation, int iterations, int delayTicks, boolean adaptive) {

    /** Input queues, 100 ns at the default tick, fixed routes. */
    public static final SwitchSettings DEFAULT = new SwitchSettings(Organisation.INPUT_QUEUES, 1, 139, false);

    /** Checks the values. */
    public SwitchSettings {
        if (iterations < 1 || delayTicks < 0) {
            throw new IllegalArgumentException(iterations + " iterations and a delay of " + delayTicks
                    + " ticks: the first must be 1 or more, the second 0 or more");
        }
    }

    /** The same with another organisation. */
    public SwitchSettings with(Organisation value) {
        return new SwitchSettings(value, iterations, delayTicks, adaptive);
    }

    /** The same with another delay. */
    public SwitchSettings withDelay(int ticks) {
        return new SwitchSettings(organisation, iterations, ticks, adaptive);
    }

    /** The same with adaptive routing. */
    public SwitchSettings adaptively() {
        return new SwitchSettings(organisation, iterations, delayTicks, true);
    }
}
