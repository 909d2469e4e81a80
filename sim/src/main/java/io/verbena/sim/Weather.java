package io.verbena.sim;

import io.verbena.port.faults.FaultPlan;

/**
 * The random decisions about the network and the threads of a run, for a profile and a seed: each draw is one decision.
 */
public final class Weather {

    private static final long MICROSECOND = 1_000;
    private static final long MILLISECOND = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    /** Range of the decisions about start-up: small, so that breaks occur in it often enough. */
    private static final int START_UP_BYTES = 64;

    private final Profile profile;
    private final SimRandom random;
    private final int grainBytes;
    private final boolean slow;

    Weather(Profile profile, SimRandom random) {
        this.profile = profile;
        this.random = random;
        boolean torn = profile == Profile.TORN || profile != Profile.CALM && random.oneIn(3);
        this.grainBytes = torn ? random.pick(1, 3, 8, 20, 64, 200, 600, 2_000, 10_000) : 0;
        this.slow = profile == Profile.SLOW || profile != Profile.CALM && random.oneIn(8);
    }

    public Profile profile() {
        return profile;
    }

    /** Largest pieces that streams are torn into, 0 for whole ones; small ones make a byte expensive to simulate. */
    public int grainBytes() {
        return grainBytes;
    }

    /** Whether delays are long. */
    public boolean slow() {
        return slow;
    }

    /** A direction of a new stream. */
    PipePlan pipe() {
        PipePlan plan = PipePlan.calm();
        if (grainBytes > 0) {
            int idle = random.oneIn(3) ? random.between(3, 10) : 0;
            plan = plan.withPieces(piece(), piece(), idle)
                    .withCapacity(random.oneIn(3) ? grainBytes : grainBytes * random.between(2, 50))
                    .withDelays(100, random.pick(1, 10, 100) * MICROSECOND);
        } else if (profile != Profile.CALM && random.oneIn(3)) {
            plan = plan.withCapacity(random.pick(1_000, 5_000, 30_000, 100_000, 1_500_000));
        }
        if (slow) {
            plan = plan.withDelays(10 * MICROSECOND, random.pick(1, 5, 20) * MILLISECOND);
            if (random.oneIn(2)) {
                plan = plan.withStall(offset(), random.between(MILLISECOND, 300 * MILLISECOND));
            }
        }
        return switch (profile) {
            case KILLED -> random.oneIn(5) ? plan.withCut(offset()) : plan;
            case CORRUPT -> random.oneIn(3) ? plan.withFlip(offset()) : plan;
            case HOSTILE -> random.oneIn(2) ? plan.withGarbage(offset()) : plan;
            default -> plan;
        };
    }

    private int piece() {
        return random.oneIn(4) ? 0 : Math.max(1, random.oneIn(2) ? grainBytes : random.size(grainBytes));
    }

    /** Somewhere in a stream, in its beginning often. */
    private long offset() {
        return random.oneIn(4) ? random.nextInt(START_UP_BYTES) : START_UP_BYTES + random.size(60_000);
    }

    /** Distance to the next garbage in a stream that has some. */
    int garbageDistance() {
        return random.size(3_000);
    }

    SimRandom random() {
        return random;
    }

    /** What an attempt to connect meets. */
    enum Greeting {
        ANSWERED,
        REFUSED,
        UNANSWERED
    }

    Greeting greeting() {
        if (profile != Profile.KILLED || !random.oneIn(12)) {
            return Greeting.ANSWERED;
        }
        return random.oneIn(2) ? Greeting.REFUSED : Greeting.UNANSWERED;
    }

    /** Time after which an operating system gives up an unanswered connection attempt. */
    long connectTimeoutNs() {
        return random.between(1, 120) * SECOND;
    }

    /** Transit time of a packet outside of streams: a connection request or a reset. */
    long packetDelayNs() {
        return MICROSECOND + (slow ? random.sizeNs(10 * MILLISECOND) : random.sizeNs(30 * MICROSECOND));
    }

    /** Time until the turn of an engine that was woken or received an event. */
    long turnDelayNs() {
        if (slow && random.oneIn(20)) {
            return random.sizeNs(5 * MILLISECOND);
        }
        return random.sizeNs(2 * MICROSECOND);
    }

    /** Time until a handler or listener runs. */
    long handlerDelayNs() {
        return random.sizeNs(slow ? MILLISECOND : 5 * MICROSECOND);
    }

    /** Time until readiness is reported. */
    long readinessDelayNs() {
        return random.sizeNs(500);
    }

    /** Time after which the operating system gives up a silent connection. */
    long keepAliveNs() {
        return random.between(1, 20) * SECOND;
    }

    /** Whether a reset also drops received bytes that have not been read. */
    boolean resetDropsUnread() {
        return random.oneIn(2);
    }

    /** Faults of the library's own stream wrapper, in addition to those of the virtual network; usually none. */
    FaultPlan wrapper() {
        if (grainBytes == 0 || !random.oneIn(4)) {
            return FaultPlan.none();
        }
        FaultPlan plan = FaultPlan.none().withPieces(grainBytes);
        return random.oneIn(2) ? plan.withHolds(random.between(2, 20), 100 * MICROSECOND) : plan;
    }
}
