package io.verbena.sim.model;

import io.verbena.sim.SimRandom;

/** What the program does on one side: it connects, posts receives and work, and ends the connection. */
final class Behaviour {

    private final Side side;
    private final SimRandom random;
    private final Workload workload;
    private boolean lateWorkDone;

    Behaviour(Side side) {
        this.side = side;
        random = side.random();
        workload = new Workload(side);
    }

    Side side() {
        return side;
    }

    Workload workload() {
        return workload;
    }

    /** The program works on this connection. */
    void act() {
        if (side.queuePairClosed()) {
            return;
        }
        side.setUp().act();
        if (side.over()) {
            if (!lateWorkDone && side.setUp().stood()) {
                lateWorkDone = true;
                workload.postLate();
            }
            return;
        }
        if (side.receivesBroken() || side.sends().broken()) {
            // Its work is being flushed: more of it would be, too, and a little more is enough.
            if (random.oneIn(50)) {
                workload.act();
            }
            return;
        }
        if (!random.oneIn(4)) {
            fillReceives();
        }
        if (side.setUp().open()) {
            if (side.farewell().due(side)) {
                side.takeFarewell().say(side);
            } else {
                workload.act();
            }
        }
    }

    private void fillReceives() {
        if (!side.peer().starvesReceiver()) {
            side.receives().fill();
        } else if (side.receives() instanceof OwnReceives own
                && own.everPosted() < 2
                && side.conversation().strict()) {
            own.post();
        }
    }
}
