package io.verbena.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Figures;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What other processes find of the RNICs of this one. */
@Timeout(60)
class LiveRnicsTest {

    private static final RnicOptions OPTIONS = RnicOptions.defaults().withProvider("iwarp");
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final String before = System.getProperty(LiveRnics.PROPERTY, "");

    @BeforeEach
    void show() {
        System.setProperty(LiveRnics.PROPERTY, "true");
    }

    @AfterEach
    void restore() {
        System.setProperty(LiveRnics.PROPERTY, before);
    }

    private static Figures process(String name) {
        return ProcessParts.of(name, List.of(), List.of(Figures.of("disk").build()));
    }

    /** What others read when the steps so far are done: each waits for those before it. */
    private static String found() throws IOException {
        LiveRnics.replace(() -> process("between"), _ -> {}).close();
        return LiveProcesses.ask(LiveRnics.KIND, ProcessHandle.current().pid(), "", PATIENCE)
                .orElse("");
    }

    @Test
    void openRnics_areFoundByOthers_untilTheLastIsClosed() throws IOException {
        assertEquals("", found());
        Rnic first = Rnic.open(OPTIONS);
        Rnic second = Rnic.open(OPTIONS.withProgress(Progress.INLINE));
        String both = found();
        assertEquals(3, both.split("\"subject\":\"(process|rnic)\"", -1).length - 1, both);
        assertTrue(both.contains("\"provider\":\"iwarp\",\"transport\""), both);
        first.close();
        String one = found();
        assertEquals(2, one.split("\"subject\":\"(process|rnic)\"", -1).length - 1, one);
        second.close();
        assertEquals("", found());
    }

    @Test
    void replacement_isShownInPlaceOfRnics_andEndsOnce() throws IOException {
        try (Rnic rnic = Rnic.open(OPTIONS)) {
            LiveRnics.Shown shown = LiveRnics.replace(() -> process("named"), _ -> {});
            assertTrue(found().contains("\"command\":\"named\""));
            shown.close();
            shown.close();
            String after = found();
            assertTrue(after.contains("\"subject\":\"rnic\"") && !after.contains("named"), () -> after + rnic);
        }
    }

    @Test
    void rnicsOpenedInTurn_areFoundEachTime() throws IOException {
        for (int i = 0; i < 50; i++) {
            try (Rnic rnic = Rnic.open(OPTIONS.withProgress(Progress.INLINE))) {
                assertFalse(found().isEmpty(), rnic::toString);
            }
        }
        assertEquals("", found());
    }

    @Test
    void propertyFalse_hidesRnicsAndReplacements() throws IOException {
        System.setProperty(LiveRnics.PROPERTY, "false");
        try (Rnic rnic = Rnic.open(OPTIONS);
                LiveRnics.Shown shown = LiveRnics.replace(() -> process("hidden"), _ -> {})) {
            assertEquals("", found(), () -> rnic + " " + shown);
        }
    }
}
