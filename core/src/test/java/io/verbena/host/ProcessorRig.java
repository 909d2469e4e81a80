package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** Opens handler processors and RNICs for a test, and closes them after it. */
abstract class ProcessorRig {

    final List<AutoCloseable> open = new ArrayList<>();

    <T extends AutoCloseable> T closing(T resource) {
        open.add(resource);
        return resource;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    HandlerProcessor thread(String name) {
        return closing(HandlerProcessor.open(ProcessorOptions.thread(name)));
    }

    Rnic rnic() {
        return closing(new IwarpProvider().open(RnicOptions.defaults()));
    }

    static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
