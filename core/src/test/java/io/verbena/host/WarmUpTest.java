package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class WarmUpTest {

    private static RnicOptions options(String provider) {
        return RnicOptions.defaults().withProvider(provider).withProgress(Progress.INLINE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "roce"})
    void exchange_sendsMessages(String provider) throws Exception {
        assertTrue(WarmUp.exchange(options(provider), 1_000_000) > 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "1001", "fast", ""})
    void otherTime_isRefused(String value) {
        RnicOptions wrong = options("iwarp").withSettings(Map.of(WarmUp.SETTING, value));
        assertThrows(IllegalArgumentException.class, () -> Rnic.open(wrong));
    }

    @Test
    void openingWithAWarmUp_isUsableAtOnce_andItsThreadEnds() {
        try (Rnic rnic = Rnic.open(options("iwarp").withSettings(Map.of(WarmUp.SETTING, "20")))) {
            rnic.allocateProtectionDomain();
            Until.holds(
                    "the warm-up has ended",
                    () -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().equals("verbena-warm-up")));
        }
        assertEquals(0, WarmUp.timeNs(RnicOptions.defaults()));
    }
}
