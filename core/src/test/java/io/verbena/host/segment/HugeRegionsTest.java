package io.verbena.host.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.base.HugeMemory;
import io.verbena.host.OtherJvm;
import io.verbena.host.system.Machine;
import io.verbena.memory.Backing;
import io.verbena.memory.MemoryProvider;
import io.verbena.memory.OffHeapMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Regions that the system backs with huge pages: what it shows of them, and what remains of them. */
class HugeRegionsTest {

    private static final int MIB = 1 << 20;

    @BeforeEach
    void needsLinux() {
        assumeTrue(Machine.obstacleToLinux().isEmpty());
    }

    /** What the system says about the mapping that begins at an address. */
    private static List<String> mapping(long address) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
        String begin = Long.toHexString(address) + "-";
        int from = 0;
        while (!lines.get(from).startsWith(begin)) {
            from++;
        }
        int to = from + 1;
        while (to < lines.size() && !lines.get(to).matches("[0-9a-f]+-[0-9a-f]+ .*")) {
            to++;
        }
        return lines.subList(from, to);
    }

    private static String value(List<String> mapping, String name) {
        return mapping.stream()
                .filter(it -> it.startsWith(name + ":"))
                .findFirst()
                .orElseThrow()
                .substring(name.length() + 1)
                .strip();
    }

    private static long bytes(List<String> mapping, String name) {
        return Long.parseLong(value(mapping, name).replace(" kB", "")) * 1024;
    }

    private static void assertAligned(MemoryProvider provider, long bytes) throws IOException {
        Backing backing = provider.allocate(bytes);
        MemorySegment memory = backing.segment();
        assertEquals(0, memory.address() % HugeMemory.PAGE_BYTES);
        List<String> mapping = mapping(memory.address());
        assertTrue(List.of(value(mapping, "VmFlags").split(" ")).contains("hg"), mapping.toString());
        assertTrue(bytes(mapping, "Rss") >= bytes, mapping.toString());
        assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, bytes - 1));
        memory.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 1);
        backing.giveBack().run();
    }

    @Test
    void privateRegion_isAligned_advisedAndResident() throws IOException {
        assertAligned(new OffHeapMemory(), 8L * MIB + 5);
    }

    @Test
    void sharedRegion_isAligned_advisedAndResident() throws IOException {
        assertAligned(new SharedRegions(() -> 42, true), 8L * MIB + 5);
    }

    @Test
    void regionsThatAreClosed_leaveNoMapping() throws IOException {
        for (MemoryProvider provider : List.of(new OffHeapMemory(), new SharedRegions(() -> 42, true))) {
            provider.allocate(4L * MIB + 1).giveBack().run(); // classes and threads that the first one needs
            for (int i = 0; i < 100; i++) {
                Backing backing = provider.allocate(4L * MIB + i);
                String begin = Long.toHexString(backing.segment().address()) + "-";
                backing.giveBack().run();
                assertTrue(
                        Files.readAllLines(Path.of("/proc/self/maps")).stream().noneMatch(it -> it.startsWith(begin)));
            }
        }
    }

    /** A process that prints how many of its mappings are advised to be huge while it has two regions. */
    static final class Advised {
        private Advised() {}

        public static void main(String... none) throws IOException {
            Backing own = new OffHeapMemory().allocate(4L * MIB);
            Backing shared = new SharedRegions(() -> 42, true).allocate(4L * MIB);
            own.segment().set(ValueLayout.JAVA_BYTE, 4L * MIB - 1, (byte) 1);
            shared.segment().set(ValueLayout.JAVA_BYTE, 4L * MIB - 1, (byte) 1);
            System.out.println(Files.readAllLines(Path.of("/proc/self/smaps")).stream()
                    .filter(it -> it.startsWith("VmFlags:") && it.contains(" hg"))
                    .count());
        }
    }

    private static String advised(String... options) throws Exception {
        Process process = OtherJvm.start(List.of(), List.of(options), Advised.class);
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        assertEquals(0, process.waitFor());
        return printed;
    }

    @Test
    void processWithNativeAccess_hasHugePages_unlessTheyAreSwitchedOff() throws Exception {
        String access = OtherJvm.nativeAccess(true);
        assertEquals("2", advised(access));
        assertEquals("0", advised(access, "-D" + HugeMemory.PROPERTY + "=off"));
    }

    @Test
    void processWithoutNativeAccess_hasOrdinaryMemory() throws Exception {
        assertEquals("0", advised(OtherJvm.nativeAccess(false)));
    }
}
