package io.verbena.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Programs that wait by polling, in virtual time: each has a thread of its own, and one at a time executes until it pauses. When all have paused,
 * time passes. The order is always the same, so that two runs of a seed are equal.
 */
public final class VirtualPrograms {

    /** Turns that pass at once where nothing happens in the world; programs still see their own deadlines pass. */
    private static final long MOST_TURNS_AT_ONCE = 100;

    private final World world;
    private final long turnNs;
    private final List<Seat> seats = new ArrayList<>();
    private final Semaphore driver = new Semaphore(0);
    private @Nullable Throwable failure;

    /** One program, and whether it may execute. */
    private final class Seat {
        private final Thread thread;
        private final Semaphore turn = new Semaphore(0);
        private boolean ended;

        Seat(Runnable program) {
            thread = Thread.ofPlatform()
                    .daemon()
                    .name("verbena-program-" + seats.size())
                    .unstarted(() -> {
                        turn.acquireUninterruptibly();
                        try {
                            program.run();
                        } catch (Throwable e) {
                            failure = failure == null ? e : failure;
                        } finally {
                            ended = true;
                            driver.release();
                        }
                    });
        }

        void proceed() {
            turn.release();
            driver.acquireUninterruptibly();
        }
    }

    /**
     * No programs yet.
     *
     * @param turnNs virtual time that passes between two turns of a program
     */
    public VirtualPrograms(World world, long turnNs) {
        if (turnNs < 1) {
            throw new IllegalArgumentException("time must pass between turns, not " + turnNs + " ns");
        }
        this.world = world;
        this.turnNs = turnNs;
    }

    /** Runs programs until all have ended. A program that fails does not end the others; its exception is thrown afterwards. */
    public void run(List<Runnable> programs) {
        programs.forEach(program -> seats.add(new Seat(program)));
        seats.forEach(seat -> seat.thread.start());
        while (!seats.isEmpty()) {
            seats.forEach(Seat::proceed);
            seats.removeIf(seat -> seat.ended);
            if (!seats.isEmpty()) {
                world.runFor(turnsUntilAnEvent() * turnNs);
            }
        }
        switch (failure) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure);
        }
    }

    /** A program that polls before the next event finds what it found before. The turn of the event is the one that it always has. */
    private long turnsUntilAnEvent() {
        return Math.clamp(world.nextInNs() / turnNs, 1, MOST_TURNS_AT_ONCE);
    }

    /** The program of the calling thread waits: others proceed and time passes. */
    public void pause() {
        Thread caller = Thread.currentThread();
        for (Seat seat : seats) {
            if (seat.thread.equals(caller)) {
                driver.release();
                seat.turn.acquireUninterruptibly();
                return;
            }
        }
        // Before the programs run, or after: there is no one to wait for.
        world.runFor(turnNs);
    }
}
