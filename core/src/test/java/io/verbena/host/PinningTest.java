package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Threads on chosen cores, or a sentence why not. */
class PinningTest {

    private static final boolean LINUX = System.getProperty("os.name").equals("Linux");

    @Test
    void bind_oneAllowedCore_onlyThatOneIsLeft() throws InterruptedException {
        AtomicReference<String> note = new AtomicReference<>("not run");
        AtomicReference<SortedSet<Integer>> left = new AtomicReference<>();
        SortedSet<Integer> before = Pinning.allowed();
        Thread bound = Thread.ofPlatform().start(() -> {
            note.set(Pinning.bind(Set.of(before.isEmpty() ? 0 : before.first())));
            left.set(Pinning.allowed());
        });
        bound.join();
        if (LINUX) {
            assertEquals("", note.get());
            assertEquals(Set.of(before.first()), left.get());
        } else {
            assertFalse(note.get().isEmpty());
        }
        assertEquals(before, Pinning.allowed(), "other threads stay as they were");
    }

    @Test
    void bind_noCores_leavesTheThreadAlone() {
        SortedSet<Integer> before = Pinning.allowed();
        assertEquals("", Pinning.bind(Set.of()));
        assertEquals(before, Pinning.allowed());
    }

    @Test
    void bind_coreThatIsNotThere_saysSo() {
        SortedSet<Integer> before = Pinning.allowed();
        assertTrue(Pinning.bind(Set.of(-1)).contains("core -1") || !LINUX);
        assertFalse(Pinning.bind(Set.of(Pinning.MOST_CORES)).isEmpty());
        assertFalse(Pinning.bind(Set.of(Pinning.MOST_CORES - 1)).isEmpty());
        assertEquals(before, Pinning.allowed());
    }

    @Test
    void bind_virtualThread_isRefused() throws InterruptedException {
        AtomicReference<String> note = new AtomicReference<>("");
        Thread.ofVirtual().start(() -> note.set(Pinning.bind(Set.of(0)))).join();
        assertTrue(note.get().contains("virtual"), note.get());
    }
}
