package io.verbena.shm;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Writes words that are impossible, and often enough possible ones, so that the victim goes on. */
final class HostilePeer {
    private final SplittableRandom random;
    private final ByteBuffer shared;
    private final int size;
    private int window;
    private int slot;
    private long position;

    HostilePeer(SplittableRandom random, ByteBuffer shared, int size) {
        this.random = random;
        this.shared = shared;
        this.size = size;
        window = SharedLayout.firstWindow(size);
    }

    void disturb() {
        switch (random.nextInt(8)) {
            case 0 -> shared.putLong(random.nextInt(shared.capacity() / 8) * 8, random.nextLong());
            case 1 -> shared.putLong(SharedLayout.word(false, SharedLayout.CONSUMED), random.nextInt(200) * 64L);
            case 2, 3, 4 -> record();
            default -> {}
        }
    }

    private void record() {
        int left = window - slot;
        int length = random.nextInt(4) == 0 ? left - SharedLayout.HEADER : random.nextInt(Math.min(left, 4200));
        boolean grows = random.nextInt(3) == 0 && window < size;
        boolean message = random.nextInt(4) == 0 && length <= 60;
        shared.putLong(
                SharedLayout.ring(false, size) + slot,
                SharedLayout.header(
                        position, length | (grows ? SharedLayout.GROWS : 0) | (message ? SharedLayout.MESSAGE : 0)));
        position += SharedLayout.occupied(length);
        slot += SharedLayout.occupied(length);
        if (slot >= window) {
            slot = grows ? window : 0;
            window = grows ? 2 * window : window;
        }
    }
}
