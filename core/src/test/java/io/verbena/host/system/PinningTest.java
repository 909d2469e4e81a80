package io.verbena.host.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.VerbsException;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PinningTest {

    @Test
    void pin_oneCore_holdsForTheThreadAndForThoseItMakes() throws Exception {
        if (Pinning.unsupported().isPresent()) {
            assertThrows(VerbsException.class, Pinning::cores);
            return;
        }
        CompletableFuture<BitSet> inherited = new CompletableFuture<>();
        CompletableFuture<BitSet> own = new CompletableFuture<>();
        BitSet before = Pinning.cores();
        BitSet one = new BitSet();
        one.set(before.nextSetBit(0));
        Thread.ofPlatform().start(() -> {
            Pinning.pin(one);
            own.complete(Pinning.cores());
            Thread.ofPlatform().start(() -> inherited.complete(Pinning.cores()));
        });
        assertEquals(one, own.get(30, TimeUnit.SECONDS));
        assertEquals(one, inherited.get(30, TimeUnit.SECONDS));
        assertEquals(before, Pinning.cores());
    }

    @Test
    void pin_impossibleCores_areRefusedWithASentence() {
        BitSet far = new BitSet();
        far.set(8000);
        VerbsException refused = assertThrows(VerbsException.class, () -> Pinning.pin(far));
        assertTrue(String.valueOf(refused.getMessage()).matches(".*(pinned|8000).*"));
        assertThrows(VerbsException.class, () -> Pinning.pin(new BitSet()));
    }
}
