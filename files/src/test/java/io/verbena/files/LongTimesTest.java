package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.files.failure.Stalled;
import io.verbena.verbs.ConnectionOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times that no nanosecond clock can count: as long, or as far in the past, as a Duration can be. */
class LongTimesTest {

    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration NEVER = Duration.ofSeconds(Long.MIN_VALUE);

    @Test
    void times_ofSettings_canBeCounted() {
        CopySettings.Patience longest = new CopySettings.Patience(FOREVER, FOREVER);
        ServeSettings server = new ServeSettings(1, FOREVER, FOREVER, ConnectionOptions.defaults());
        for (Duration each : List.of(longest.retryFor(), longest.timeout(), server.setUp(), server.idle())) {
            assertTrue(each.toNanos() > Duration.ofDays(365).toNanos());
        }
        assertEquals(Duration.ZERO, new CopySettings.Patience(NEVER, NEVER).timeout());
    }

    @Test
    void silence_ofAnyLength_isText() {
        assertTrue(String.valueOf(new Stalled("The peer", FOREVER, "").getMessage())
                .startsWith("The peer did nothing for 9"));
        assertEquals(
                "The peer did nothing for 0.5 s today",
                new Stalled("The peer", Duration.ofMillis(500), "today").getMessage());
    }
}
