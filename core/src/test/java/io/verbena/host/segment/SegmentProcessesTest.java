package io.verbena.host.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fixture.Seeds;
import io.verbena.host.OtherJvm;
import io.verbena.host.Signals;
import io.verbena.host.Site;
import io.verbena.host.system.Machine;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.SegmentOffer;
import io.verbena.verbs.SegmentOfferOptions;
import io.verbena.verbs.SegmentToken;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WrFlags;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** A segment that two processes have open, and the death of each of them. */
public class SegmentProcessesTest {

    private static final int BYTES = 1 << 20;
    private static final int ADDITIONS = 100_000;
    private static final String OTHER_USER = "65534";
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final SegmentOfferOptions OFTEN =
            SegmentOfferOptions.defaults().withWritable(true).withMaxOpenings(1000);

    private final Rnic rnic = Rnic.open();
    private final VirtualMemory memory = rnic.openVirtualMemory(VirtualMemoryOptions.defaults());
    private final AddressSpace space = memory.createAddressSpace("test");

    @BeforeEach
    void needsNativeAccess() {
        assumeTrue(Machine.obstacleToLinux().isEmpty());
    }

    @AfterEach
    void closeAll() throws Exception {
        rnic.close();
        SharedSegmentTest.assertNothingIsLeft();
    }

    /** A process of the test: prints what happens, and ends when its input does. */
    private static final class Other implements AutoCloseable {
        private final Process process;
        private final BufferedReader lines;

        Other(List<String> before, boolean nativeAccess, Class<?> program, Object... arguments) throws IOException {
            process = OtherJvm.start(before, List.of(OtherJvm.nativeAccess(nativeAccess), "-ea"), program, arguments);
            lines = process.inputReader();
        }

        Other(Class<?> program, Object... arguments) throws IOException {
            this(List.of(), true, program, arguments);
        }

        String line() throws IOException {
            return String.valueOf(lines.readLine());
        }

        void kill() {
            try {
                process.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            kill();
        }
    }

    private static String text(SegmentToken token) {
        return HexFormat.of().formatHex(token.toBytes());
    }

    private static SegmentToken token(String text) {
        return SegmentToken.fromBytes(HexFormat.of().parseHex(text));
    }

    /** Owns a segment: prints a token, and has a peer write to the segment until it is killed. */
    static final class Owner {

        private Owner() {}

        public static void main(String[] arguments) throws Exception {
            try (Rnic rnic = Rnic.open()) {
                AddressSpace space =
                        rnic.openVirtualMemory(VirtualMemoryOptions.defaults()).createAddressSpace("owner");
                AddressSegment local = space.mapShareable(BYTES);
                System.out.println(text(local.offer(OFTEN).token()));
                work(rnic, local);
            }
        }
    }

    /** Opens a segment, has a peer write to it until it is gone, and prints what happens. */
    static final class Opener {

        private Opener() {}

        public static void main(String[] arguments) throws Exception {
            try (Rnic rnic = Rnic.open()) {
                AddressSpace space =
                        rnic.openVirtualMemory(VirtualMemoryOptions.defaults()).createAddressSpace("opener");
                AddressSegment remote = space.open(token(arguments[0]), true);
                add(remote.segment().orElseThrow());
                System.out.println("added");
                System.out.println(work(rnic, remote));
                System.out.println(loss(rnic));
            }
        }
    }

    /** The event that reports the loss of a segment. */
    private static String loss(Rnic rnic) {
        while (true) {
            List<AsyncEvent> events = rnic.pollAsyncEvents(Site.PATIENCE);
            assertFalse(events.isEmpty());
            for (AsyncEvent event : events) {
                if (event.subject() instanceof AddressSegment) {
                    assertEquals(AsyncEventType.REGION_LOST, event.type());
                    return event.sentence();
                }
            }
        }
    }

    private static void add(MemorySegment memory) {
        for (int i = 0; i < ADDITIONS; i++) {
            LONG.getAndAdd(memory, 0L, 1L);
        }
    }

    /** Writes and Reads with a key of this process, until the segment is gone. Returns why the work failed. */
    private static String work(Rnic rnic, AddressSegment segment) throws IOException {
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        Site.connect(near, far);
        MemoryRegion region;
        try {
            region = far.domain.register(
                    segment, 0, segment.length(), AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ);
        } catch (IllegalStateException e) {
            return e.toString(); // gone before it was used
        }
        while (true) {
            near.queuePair.postWrite(1, near.memory, 8, BYTES - 8, region.remote(), 8, WrFlags.UNSIGNALLED);
            near.queuePair.postRead(2, near.memory, 8, BYTES - 8, region.remote(), 8, WrFlags.SIGNALLED);
            assertTrue(near.cq.await(Site.PATIENCE) && near.cursor.next());
            if (!near.cursor.ok()) {
                return near.cursor.reason();
            }
        }
    }

    @Test
    void twoProcesses_addToOneWord_andTheOpenerIsNotifiedOfTheEnd() throws Exception {
        AddressSegment local = space.mapShareable(BYTES);
        SegmentOffer offer = local.offer(OFTEN);
        try (Other opener = new Other(Opener.class, text(offer.token()))) {
            add(local.segment().orElseThrow());
            assertEquals("added", opener.line());
            assertEquals(2L * ADDITIONS, (long) LONG.getVolatile(local.segment().orElseThrow(), 0L));
            assertEquals(List.of(opener.process.pid()), offer.processes());
            assertTrue(offer.revoke(Site.PATIENCE));
            assertEquals(List.of(), offer.processes());
            assertFalse(opener.line().isBlank());
            String event = opener.line();
            assertTrue(
                    event.contains(
                            "its owner, process " + ProcessHandle.current().pid() + ", has ended the offer"),
                    event);
            assertEquals(0, opener.process.waitFor());
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void ownerKilledAtAnyTime_openerLosesTheSegmentAndContinues(TestReporter reporter) throws Exception {
        SplittableRandom random = new SplittableRandom(Seeds.one(1));
        for (int round = 0; round < 2 * Integer.getInteger("verbena.seeds", 1); round++) {
            try (Other owner = new Other(Owner.class)) {
                AddressSegment remote = space.open(token(owner.line()), true);
                Thread killer = Thread.ofPlatform().start(() -> {
                    try {
                        Thread.sleep(random.nextInt(100));
                        owner.kill();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
                String reason = work(rnic, remote);
                killer.join();
                reporter.publishEntry("work", reason);
                String event = loss(rnic);
                assertTrue(event.contains("its owner, process " + owner.process.pid() + ", has ended"), event);
                remote.close();
                String gone = assertThrows(IllegalStateException.class, remote::segment)
                        .toString();
                assertTrue(gone.contains("has ended"), gone);
                assertEquals(List.of(), space.segments());
            }
        }
    }

    /** Opens and closes a segment until it is killed. */
    static final class Repeating {

        private Repeating() {}

        public static void main(String[] arguments) throws Exception {
            HostSegments segments = new HostSegments("repeating");
            System.out.println("ready");
            while (true) {
                segments.open(token(arguments[0]), true).giveBack();
            }
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void openerKilledAtAnyTime_ownerIsFreeOfItAndContinues() throws Exception {
        SplittableRandom random = new SplittableRandom(Seeds.one(1));
        AddressSegment local = space.mapShareable(BYTES);
        for (int round = 0; round < 2 * Integer.getInteger("verbena.seeds", 1); round++) {
            SegmentOffer often = local.offer(OFTEN.withMaxOpenings(1024));
            try (Other opener = new Other(Repeating.class, text(often.token()))) {
                assertEquals("ready", opener.line());
                Thread.sleep(random.nextInt(30));
                opener.kill();
            }
            assertTrue(often.revoke(Site.PATIENCE));
            SegmentOffer offer = local.offer(OFTEN);
            try (Other opener = new Other(Opener.class, text(offer.token()))) {
                assertEquals("added", opener.line());
                Thread.sleep(random.nextInt(100));
            }
            assertTrue(offer.revoke(Site.PATIENCE));
        }
        local.segment().orElseThrow().fill((byte) 1);
    }

    /** Offers and ends offers until it is killed; prints some tokens. */
    static final class Offering {

        private Offering() {}

        public static void main(String[] arguments) throws Exception {
            HostSegments segments = new HostSegments("offering");
            for (int i = 0; true; i++) {
                var created = segments.create(BYTES);
                var offer = created.offer(OFTEN);
                System.out.println(text(offer.token()));
                if (i % 2 == 0) {
                    offer.end(0);
                }
                created.giveBack();
            }
        }
    }

    @Test
    void ownerThatEndsOffersAndIsKilled_openSucceedsOrFailsWithTheReason(TestReporter reporter) throws Exception {
        try (Other owner = new Other(Offering.class)) {
            int opened = 0;
            boolean killed = false;
            List<String> tokens = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                if (i == 150) {
                    owner.kill();
                    killed = true;
                }
                String line = killed ? tokens.removeLast() : owner.line();
                if (!killed) {
                    tokens.add(line);
                }
                try (AddressSegment remote = space.open(token(line), true)) {
                    remote.segment().orElseThrow().set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) 1);
                    opened++;
                } catch (IOException | IllegalStateException e) {
                    assertTrue(e.toString().contains("the segment"), e::toString);
                }
            }
            reporter.publishEntry("opened", opened + " of 200");
        }
        assertEquals(List.of(), space.segments());
    }

    @Test
    void openerThatIsStopped_doesNotHoldUpTheOwner_andUnmapsWhenItContinues() throws Exception {
        AddressSegment local = space.mapShareable(BYTES);
        SegmentOffer offer = local.offer(OFTEN);
        try (Other opener = new Other(Opener.class, text(offer.token()))) {
            assertEquals("added", opener.line());
            Signals.send(opener.process.pid(), Signals.STOP);
            assertFalse(offer.revoke(Duration.ofMillis(100)));
            assertEquals(List.of(opener.process.pid()), offer.processes());
            local.close();
            assertEquals(List.of(), offer.processes());
            Signals.send(opener.process.pid(), Signals.CONT);
            assertFalse(opener.line().isBlank());
            assertTrue(opener.line().contains("has ended the offer"));
            assertEquals(0, opener.process.waitFor());
        }
    }

    // Another user or namespace, and no native access.

    /** Opens a segment of the given user, or of its own, and prints the result. */
    static final class Insistent {

        private Insistent() {}

        public static void main(String[] arguments) throws Exception {
            SegmentLoop loop = new SegmentLoop("insistent");
            int user = arguments.length == 2 ? Integer.parseInt(arguments[1]) : HostSegments.user();
            try {
                System.out.println("opened "
                        + SegmentOpening.of(loop, token(arguments[0]), true, user)
                                .memory()
                                .byteSize());
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    private static void needsSuperuser() throws Exception {
        assumeTrue(HostSharedMemory.owner(Path.of("/proc/self")).equals(0)
                && new ProcessBuilder("unshare", "-m", "-n", "true").start().waitFor() == 0);
    }

    @Test
    void processOfAnotherUser_isRefusedByBothSides() throws Exception {
        needsSuperuser();
        AddressSegment local = space.mapShareable(BYTES);
        SegmentOffer offer = local.offer(OFTEN);
        List<String> user = List.of("setpriv", "--reuid=" + OTHER_USER, "--regid=" + OTHER_USER, "--clear-groups");
        for (Object[] arguments : new Object[][] {{text(offer.token())}, {text(offer.token()), 0}}) {
            try (Other other = new Other(user, true, Insistent.class, arguments)) {
                String line = other.line();
                assumeTrue(!line.equals("null"), "the other user may not read the classes");
                boolean insists = arguments.length == 2; // the refusal may be lost when the owner ends the connection
                assertTrue(
                        line.equals("the segment cannot be opened: it belongs to another user")
                                || insists && line.equals("the segment cannot be opened: the connection has ended"),
                        line);
            }
        }
        assertEquals(List.of(), offer.processes());
    }

    @Test
    void processOfAnotherNetworkNamespace_isRefusedWithTheReason() throws Exception {
        needsSuperuser();
        SegmentOffer offer = space.mapShareable(BYTES).offer(OFTEN);
        try (Other other = new Other(List.of("unshare", "-n"), true, Insistent.class, text(offer.token()))) {
            String line = other.line();
            assertTrue(line.contains("no process of this host and network namespace"), line);
        }
    }

    /** Creates and opens a segment, and prints the result. */
    static final class Single {

        private Single() {}

        public static void main(String[] arguments) throws Exception {
            try (Rnic rnic = Rnic.open()) {
                AddressSpace space =
                        rnic.openVirtualMemory(VirtualMemoryOptions.defaults()).createAddressSpace("single");
                AddressSegment local = space.mapShareable(BYTES);
                AddressSegment remote = space.open(local.offer(OFTEN).token(), true);
                add(remote.segment().orElseThrow());
                System.out.println("opened " + remote.length());
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void devShmThatIsTooSmall_isNotNeeded() throws Exception {
        needsSuperuser();
        List<String> small =
                List.of("unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=4k tmpfs /dev/shm && exec \"$@\"", "sh");
        try (Other other = new Other(small, true, Single.class)) {
            assertEquals("opened " + BYTES, other.line());
            assertEquals(0, other.process.waitFor());
        }
    }

    @Test
    void noNativeAccess_failsWithTheReason() throws Exception {
        try (Other other = new Other(List.of(), false, Single.class)) {
            String line = other.line();
            assertTrue(line.contains("--enable-native-access"), line);
        }
    }
}
