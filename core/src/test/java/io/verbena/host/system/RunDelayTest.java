package io.verbena.host.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RunDelayTest {

    private static long secondNumber(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return RunDelay.secondNumber(bytes, bytes.length);
    }

    @Test
    void secondNumber_isReadFromEachFormOfTheLine() {
        assertEquals(3_153_327, secondNumber("12 3153327 1\n"));
        assertEquals(0, secondNumber("0 0 0"));
        assertEquals(7, secondNumber("5 7"));
        assertEquals(RunDelay.UNKNOWN, secondNumber("5"));
        assertEquals(RunDelay.UNKNOWN, secondNumber("5 "));
        assertEquals(RunDelay.UNKNOWN, secondNumber(""));
    }

    @Test
    void platformThread_hasARunDelayWhereTheSystemCountsIt() {
        long firstNs = RunDelay.ofThisThreadNs();
        long secondNs = RunDelay.ofThisThreadNs();
        if (Files.exists(Path.of("/proc/thread-self/schedstat"))) {
            assertTrue(firstNs >= 0 && secondNs >= firstNs, firstNs + ", then " + secondNs);
        } else {
            assertEquals(RunDelay.UNKNOWN, firstNs);
        }
    }

    @Test
    void virtualThread_hasNone() throws InterruptedException {
        long[] found = {0};
        Thread.ofVirtual().start(() -> found[0] = RunDelay.ofThisThreadNs()).join();
        assertEquals(RunDelay.UNKNOWN, found[0]);
    }
}
