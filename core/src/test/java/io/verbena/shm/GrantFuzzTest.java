package io.verbena.shm;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.concurrent.atomic.AtomicInteger;

/** A hostile peer of direct access, whose bytes a fuzzer chooses. See also {@link HostileGrantTest}. */
class GrantFuzzTest {

    private static final int STEPS = 300;

    @FuzzTest
    void anyGrantsAndRequests_keepTheirBounds(byte[] data) {
        AtomicInteger at = new AtomicInteger();
        new GrantScene(bound -> at.get() < data.length ? (data[at.getAndIncrement()] & 0xff) % bound : 0)
                .run(Math.min(STEPS, data.length));
    }
}
