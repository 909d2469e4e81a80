package io.verbena.ib.request;

import io.verbena.ib.packet.Psn;
import io.verbena.ib.paths.Spray;

/** What a requester of several paths sends again: the packets that are lost on their paths. */
final class PathRepeat implements Repetition {

    private final Spray spray;

    PathRepeat(Spray spray) {
        this.spray = spray;
    }

    @Override
    public boolean has(int psn) {
        return !spray.isLost(psn);
    }

    @Override
    public boolean beforeHighest(int psn) {
        return spray.lostFrom(psn);
    }

    @Override
    public int run(int psn, int most) {
        int count = 1;
        while (count < most && has(Psn.plus(psn, count)) == has(psn)) {
            count++;
        }
        return count;
    }

    @Override
    public int repeatFrom(int endPsn) {
        return spray.firstLost();
    }
}
