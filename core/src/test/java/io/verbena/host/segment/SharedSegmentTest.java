package io.verbena.host.segment;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fixture.Seeds;
import io.verbena.host.Site;
import io.verbena.host.system.Machine;
import io.verbena.host.system.Threads;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SegmentOffer;
import io.verbena.verbs.SegmentOfferOptions;
import io.verbena.verbs.SegmentToken;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Segments opened by token; both ends in one process, each with an RNIC of its own. */
public class SharedSegmentTest {

    private static final int BYTES = 200_000; // not a multiple of a page
    private static final int ROUNDS = 100 * Integer.getInteger("verbena.seeds", 1);
    private static final SegmentOfferOptions WRITABLE =
            SegmentOfferOptions.defaults().withWritable(true);
    private static final AccessRight[] ALL = {
        AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC
    };

    private final Rnic ownerRnic = Rnic.open();
    private final VirtualMemory ownerMemory = ownerRnic.openVirtualMemory(VirtualMemoryOptions.defaults());
    private final AddressSpace owner = ownerMemory.createAddressSpace("owner");
    private final Rnic openerRnic = Rnic.open();
    private final VirtualMemory openerMemory = openerRnic.openVirtualMemory(VirtualMemoryOptions.defaults());
    private final AddressSpace opener = openerMemory.createAddressSpace("opener");

    @BeforeEach
    void needsNativeAccess() {
        assumeTrue(Machine.obstacleToLinux().isEmpty());
    }

    @AfterEach
    void closeAll() throws Exception {
        openerRnic.close();
        ownerRnic.close();
        assertNothingIsLeft();
    }

    /** No descriptor, no mapping, no name and no thread of a segment. */
    public static void assertNothingIsLeft() throws Exception {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().contains("-segment")) {
                assertTrue(Threads.join(thread, 20_000_000_000L), thread::getName);
            }
        }
        List<String> open;
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            open = descriptors.map(SharedSegmentTest::target).toList();
        }
        assertEquals(List.of(), ofSegments(open.stream()));
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            assertEquals(List.of(), ofSegments(mappings));
        }
        // This file lists the sockets of all processes, and other tests use segments at the same time.
        try (Stream<String> sockets = Files.lines(Path.of("/proc/net/unix"))) {
            assertEquals(List.of(), ofSegments(sockets.filter(line -> open.contains("socket:[" + inode(line) + "]"))));
        }
    }

    private static List<String> ofSegments(Stream<String> names) {
        return names.filter(it -> it.contains("verbena-segment")).toList();
    }

    /** The seventh field of a line of /proc/net/unix. */
    private static String inode(String line) {
        String[] fields = line.strip().split(" +", -1);
        return fields.length > 6 ? fields[6] : "";
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static MemorySegment memory(AddressSegment segment) {
        return segment.segment().orElseThrow();
    }

    private static String refusal(AddressSpace by, SegmentToken token, boolean writable) {
        String message =
                assertThrows(IOException.class, () -> by.open(token, writable)).toString();
        assertTrue(message.contains("the segment cannot be opened: "), message);
        return message;
    }

    @Test
    void opened_bothSidesWriteAndSee_eachWithItsOwnKeys() throws Exception {
        AddressSegment local = owner.mapShareable(BYTES);
        opener.mapPinned(10); // so that addresses differ
        SegmentOffer offer = local.offer(WRITABLE);
        AddressSegment remote = opener.open(SegmentToken.fromBytes(offer.token().toBytes()), true);
        assertEquals(List.of(ProcessHandle.current().pid()), offer.processes());
        assertEquals(BYTES, remote.length());
        assertEquals(BYTES, remote.residentBytes());
        assertFalse(remote.pageable());
        assertNotEquals(local.address(), remote.address());
        memory(local).set(ValueLayout.JAVA_LONG, 8, 40);
        assertEquals(40, memory(remote).get(ValueLayout.JAVA_LONG, 8));
        memory(remote).set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) 7);
        assertEquals(7, memory(local).get(ValueLayout.JAVA_BYTE, BYTES - 1));

        Site ownerSite = new Site(ownerRnic);
        Site openerSite = new Site(openerRnic);
        Site.connect(openerSite, ownerSite);
        MemoryRegion ownerRegion = ownerSite.domain.register(local, 0, BYTES, ALL);
        MemoryRegion openerRegion = openerSite.domain.register(remote, 0, BYTES, ALL);
        assertNotEquals(ownerRegion.rkey(), openerRegion.rkey());
        openerSite.queuePair.postFetchAndAdd(
                1,
                openerSite.memory,
                0,
                ownerRegion.remote().address() + 8,
                ownerRegion.remote().rkey(),
                1,
                WrFlags.SIGNALLED);
        openerSite.complete(1);
        ownerSite.queuePair.postFetchAndAdd(
                2,
                ownerSite.memory,
                0,
                openerRegion.remote().address() + 8,
                openerRegion.remote().rkey(),
                1,
                WrFlags.SIGNALLED);
        ownerSite.complete(2);
        assertEquals(41, ownerSite.memory.segment().get(ValueLayout.JAVA_LONG, 0));
        assertEquals(42, memory(local).get(ValueLayout.JAVA_LONG, 8));
        remote.close();
        assertTrue(offer.revoke(Site.PATIENCE));
        assertEquals(42, memory(local).get(ValueLayout.JAVA_LONG, 8));
        assertEquals(CompletionStatus.SUCCESS, read(openerSite, ownerRegion));
        assertNotEquals(CompletionStatus.SUCCESS, read(ownerSite, openerRegion));
    }

    private static CompletionStatus read(Site from, MemoryRegion what) {
        from.queuePair.postRead(9, from.memory, 0, 8, what.remote(), 0, WrFlags.SIGNALLED);
        assertTrue(from.cq.await(Site.PATIENCE) && from.cursor.next());
        return from.cursor.status();
    }

    @Test
    void readOnlyOffer_isReadable_andRefusedForWriting() throws Exception {
        AddressSegment local = owner.mapShareable(BYTES);
        SegmentOffer offer = local.offer(SegmentOfferOptions.defaults());
        String refused = refusal(opener, offer.token(), true);
        assertTrue(refused.contains("read-only"), refused);
        AddressSegment remote = opener.open(offer.token(), false); // a refused attempt uses nothing up
        assertFalse(remote.writable());
        assertThrows(IllegalArgumentException.class, () -> remote.protect(true));
        assertThrows(IllegalArgumentException.class, () -> memory(remote).set(ValueLayout.JAVA_BYTE, 0, (byte) 1));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment eight = arena.allocate(8);
            assertThrows(IllegalArgumentException.class, () -> opener.write(remote.address(), eight, 0, 8));
            opener.read(remote.address(), eight, 0, 8);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> openerRnic.allocateProtectionDomain().register(remote, 0, 8, AccessRight.REMOTE_WRITE));
        AddressSegment readOnly = owner.share(local, false);
        assertThrows(IllegalArgumentException.class, () -> readOnly.offer(WRITABLE));
        readOnly.offer(SegmentOfferOptions.defaults()).close();
    }

    @Test
    void token_usedUpWrongExpiredOrRevoked_isRefusedWithTheReason() throws Exception {
        AddressSegment local = owner.mapShareable(BYTES);
        SegmentOffer twice = local.offer(WRITABLE.withMaxOpenings(2));
        AddressSegment first = opener.open(twice.token(), true);
        AddressSegment second = opener.open(twice.token(), false);
        assertEquals(2, twice.processes().size());
        assertTrue(refusal(opener, twice.token(), true).contains("has been used"));
        first.close();
        second.close();
        assertTrue(refusal(opener, twice.token(), true).contains("has been used"));
        SegmentToken token = twice.token();
        SegmentToken guessed = new SegmentToken(token.name(), token.secretHigh(), token.secretLow() ^ 1);
        assertTrue(refusal(opener, guessed, true).contains("not valid"));
        assertFalse(token.toString().contains(Long.toHexString(token.secretHigh())));
        try (SegmentOffer short1 = local.offer(WRITABLE.withLifetime(Duration.ofNanos(1)))) {
            assertTrue(refusal(opener, short1.token(), true).contains("expired"));
        }
        SegmentOffer unused = local.offer(WRITABLE);
        assertTrue(unused.revoke(Duration.ZERO));
        assertTrue(unused.revoke(Duration.ZERO));
        assertTrue(refusal(opener, unused.token(), true).contains("no process"));
        assertTrue(refusal(opener, new SegmentToken(1, 2, 3), true).contains("no process"));
        assertThrows(
                IllegalArgumentException.class, () -> owner.mapPinned(BYTES).offer(WRITABLE));
        assertThrows(IllegalArgumentException.class, () -> owner.map(BYTES).offer(WRITABLE));
        AddressSegment remote = opener.open(local.offer(WRITABLE).token(), true);
        assertThrows(IllegalArgumentException.class, () -> remote.offer(WRITABLE));
        local.close();
        assertThrows(IllegalStateException.class, () -> local.offer(WRITABLE));
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    void revoked_isUnmappedInAllAddressSpacesOfTheOpener_andItsRegionsAreLost(Progress progress) throws Exception {
        AddressSegment local = owner.mapShareable(BYTES);
        SegmentOffer offer = local.offer(WRITABLE);
        try (Rnic rnic = Rnic.open(RnicOptions.defaults().withProgress(progress));
                VirtualMemory virtual = rnic.openVirtualMemory(VirtualMemoryOptions.defaults())) {
            AddressSpace space = virtual.createAddressSpace("one");
            AddressSegment remote = space.open(offer.token(), true);
            AddressSegment shared = virtual.createAddressSpace("two").share(remote, true);
            Site near = new Site(rnic);
            Site far = new Site(rnic);
            Site.connect(near, far);
            MemoryRegion region = far.domain.register(remote, 0, BYTES, ALL);
            assertEquals(CompletionStatus.SUCCESS, read(near, region));
            MemorySegment kept = memory(shared);
            assertTrue(offer.revoke(Site.PATIENCE));
            assertEquals(List.of(), offer.processes());
            assertEquals(List.of(), space.segments());
            assertThrows(IllegalStateException.class, () -> kept.get(ValueLayout.JAVA_BYTE, 0));
            String unmapped =
                    assertThrows(IllegalStateException.class, shared::segment).toString();
            assertTrue(unmapped.contains("has ended the offer"), unmapped);
            assertNotEquals(CompletionStatus.SUCCESS, read(near, region));
            List<AsyncEvent> events = rnic.pollAsyncEvents(Site.PATIENCE);
            assertTrue(
                    events.stream()
                            .anyMatch(each -> each.type() == AsyncEventType.REGION_LOST
                                    && (each.subject() == remote || each.subject() == shared)),
                    events::toString);
            assertThrows(
                    IllegalStateException.class, () -> far.domain.register(remote, 0, BYTES, AccessRight.REMOTE_READ));
            assertThrows(IllegalArgumentException.class, () -> space.read(remote.address(), kept, 0, 8));
            remote.close(); // has no further effect
        }
        memory(local).set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
    }

    @Test
    void closedInAnyOrder_returnsAndLeavesNothing() throws Exception {
        for (int order = 0; order < 6; order++) {
            Rnic rnic = Rnic.open();
            VirtualMemory virtual = rnic.openVirtualMemory(VirtualMemoryOptions.defaults());
            AddressSegment local = virtual.createAddressSpace("owner").mapShareable(BYTES);
            SegmentOffer offer = local.offer(WRITABLE);
            AddressSegment remote = opener.open(offer.token(), true);
            switch (order) {
                case 0 -> {
                    remote.close();
                    offer.close();
                }
                case 1 -> {
                    offer.close();
                    remote.close();
                }
                case 2 -> local.close();
                case 3 -> virtual.close();
                case 4 -> remote.close();
                default -> opener.share(remote, false);
            }
            rnic.close();
            assertThrows(IllegalStateException.class, remote::segment);
            assertEquals(List.of(), opener.segments(), "order " + order);
            assertNothingIsLeft();
        }
    }

    @Test
    void memoryInUseByTheProgram_isReleasedLater_andRevokeSaysSo() throws Exception {
        AddressSegment local = owner.mapShareable(BYTES);
        SegmentOffer offer = local.offer(WRITABLE);
        AddressSegment remote = opener.open(offer.token(), true);
        Thread[] closer = new Thread[1];
        AtomicInteger seen = new AtomicInteger();
        sort(memory(remote), () -> {
            assertFalse(offer.revoke(Duration.ofMillis(200)));
            assertEquals(1, offer.processes().size());
            closer[0] = Thread.ofPlatform().start(() -> seen.set(offer.revoke(Site.PATIENCE) ? 1 : 2));
        });
        closer[0].join();
        assertEquals(1, seen.get());
    }

    /** qsort(3) of two bytes: while it compares them, the memory is in use by a call of foreign code. */
    private static void sort(MemorySegment memory, Runnable compared) throws Exception {
        Linker linker = Linker.nativeLinker();
        MethodHandle comparison = MethodHandles.lookup()
                .findStatic(
                        SharedSegmentTest.class,
                        "compare",
                        MethodType.methodType(int.class, Runnable.class, MemorySegment.class, MemorySegment.class))
                .bindTo(compared);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment function = linker.upcallStub(
                    comparison,
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
                    arena);
            linker.downcallHandle(
                            linker.defaultLookup().findOrThrow("qsort"),
                            FunctionDescriptor.ofVoid(
                                    ValueLayout.ADDRESS,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.ADDRESS))
                    .invokeExact(memory, 2L, 1L, function);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    @SuppressWarnings("unused") // by its name
    private static int compare(Runnable compared, MemorySegment a, MemorySegment b) {
        compared.run();
        return 0;
    }

    @Test
    void closedInOneAddressSpace_keepsRegionsAndProtectionOfTheOther() throws Exception {
        AddressSegment local = owner.mapPinned(BYTES);
        AddressSpace second = ownerMemory.createAddressSpace("second");
        AddressSegment shared = second.share(local, true);
        Site near = new Site(openerRnic);
        Site far = new Site(ownerRnic);
        Site.connect(near, far);
        MemoryRegion region = far.domain.register(local, 0, BYTES, ALL);
        shared.protect(false);
        near.queuePair.postWrite(1, near.memory, 0, 8, region.remote(), 0, WrFlags.SIGNALLED);
        near.complete(1);
        assertEquals(CompletionStatus.SUCCESS, read(near, region));
        shared.close();
        assertEquals(CompletionStatus.SUCCESS, read(near, region));
    }

    @Tag(Seeds.TAG)
    @Test
    void offersOpeningsAndEnds_ofManyThreadsAtOnce_leaveNothing() throws Exception {
        long seed = Seeds.one(1);
        BlockingQueue<SegmentToken> tokens = new ArrayBlockingQueue<>(4);
        BlockingQueue<AddressSegment> open = new ArrayBlockingQueue<>(4);
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        AtomicInteger opened = new AtomicInteger();
        AddressSpace third = openerMemory.createAddressSpace("third");
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            SplittableRandom random = new SplittableRandom(seed + i);
            threads.add(repeat(failures, () -> {
                try (AddressSegment local = owner.mapShareable(1 + random.nextInt(20_000))) {
                    SegmentOffer offer = local.offer(WRITABLE.withMaxOpenings(2));
                    tokens.offer(offer.token());
                    tokens.offer(offer.token());
                    Thread.sleep(random.nextInt(3));
                    if (random.nextBoolean()) {
                        assertTrue(offer.revoke(Site.PATIENCE));
                        assertEquals(List.of(), offer.processes());
                    }
                    memory(local).fill((byte) 1);
                }
            }));
            threads.add(repeat(failures, () -> {
                SegmentToken token = tokens.poll(10, TimeUnit.MILLISECONDS);
                if (token != null) {
                    AddressSegment remote = opener.open(token, true);
                    opened.incrementAndGet();
                    open.offer(remote);
                    if (random.nextBoolean()) {
                        remote.close();
                    }
                }
            }));
        }
        threads.add(repeat(failures, () -> {
            AddressSegment remote = open.poll(10, TimeUnit.MILLISECONDS);
            if (remote != null) {
                try (AddressSegment shared = third.share(remote, true);
                        Arena arena = Arena.ofConfined()) {
                    opener.write(remote.address(), arena.allocate(1), 0, 1);
                    memory(shared).set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
                }
            }
        }));
        for (Thread thread : threads) {
            thread.join();
        }
        if (!failures.isEmpty()) {
            throw new AssertionError("seed " + seed, failures.remove());
        }
        owner.close();
        opener.close();
        assertEquals(List.of(), third.segments());
        assertTrue(opened.get() > 0);
    }

    /** A step of a thread, which other threads may make fail. */
    private interface Step {
        void run() throws Exception;
    }

    private static Thread repeat(Queue<Throwable> failures, Step step) {
        return Thread.ofPlatform().start(() -> {
            for (int i = 0; i < ROUNDS && failures.isEmpty(); i++) {
                try {
                    step.run();
                } catch (IOException e) {
                    if (!e.toString().contains("the segment cannot be opened: ")) {
                        failures.add(e);
                    }
                } catch (IllegalStateException e) {
                    // Unmapped by another thread.
                } catch (IllegalArgumentException e) {
                    if (!e.toString().contains("nothing is mapped at effective address")) {
                        failures.add(e);
                    }
                } catch (Exception | Error e) {
                    failures.add(e);
                }
            }
        });
    }

    @Test
    void moreMemoryThanAllowed_failsWithTheFigures() throws Exception {
        long most = Runtime.getRuntime().maxMemory();
        AddressSegment local = owner.mapShareable(BYTES);
        String message = assertThrows(IOException.class, () -> owner.mapShareable(most - BYTES + 1))
                .toString();
        assertTrue(message.contains(BYTES + " are in use"), message);
        local.close();
        assertThrows(IllegalArgumentException.class, () -> owner.mapShareable(0));
        AddressSegment again = assertDoesNotThrow(() -> owner.mapShareable(BYTES));
        assertEquals(0, memory(again).get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void fixedAddress_isTakenByTheSegmentOrRefused() throws Exception {
        long address = 5L << 40;
        AddressSegment local = owner.mapShareableAt(address + 10, BYTES);
        assertEquals(address, local.address());
        SegmentOffer offer = local.offer(WRITABLE.withMaxOpenings(4));
        assertEquals(address, opener.openAt(address, offer.token(), true).address());
        assertThrows(IllegalStateException.class, () -> opener.openAt(address, offer.token(), true));
        assertThrows(IllegalArgumentException.class, () -> opener.openAt(address + BYTES, offer.token(), true));
        assertThrows(IllegalStateException.class, () -> owner.mapShareableAt(address, BYTES));
    }
}
