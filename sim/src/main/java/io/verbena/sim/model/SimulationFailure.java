package io.verbena.sim.model;

import io.verbena.sim.Profile;

/** A run whose result differs from the model. The message contains the command that replays it. */
public final class SimulationFailure extends AssertionError {

    private static final long serialVersionUID = 1L;

    private final long seed;
    private final Profile profile;

    SimulationFailure(long seed, Profile profile, String replay, Throwable cause) {
        super(
                "seed " + seed + ", profile " + profile + ": " + cause.getMessage() + System.lineSeparator()
                        + "replay with a log: " + replay,
                cause);
        this.seed = seed;
        this.profile = profile;
    }

    public long seed() {
        return seed;
    }

    public Profile profile() {
        return profile;
    }
}
