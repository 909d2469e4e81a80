package io.verbena.rnic.memory;

import io.verbena.memory.Backing;
import io.verbena.memory.vmm.AddressLayout;
import io.verbena.memory.vmm.DriverTables;
import io.verbena.memory.vmm.Mapping;
import io.verbena.memory.vmm.PageStore;
import io.verbena.memory.vmm.Process;
import io.verbena.memory.vmm.ProgramAccess;
import io.verbena.memory.vmm.SharedSegments;
import io.verbena.memory.vmm.Vmm;
import io.verbena.rnic.context.Closing;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.AddressSpaceOptions;
import io.verbena.verbs.PageFaultHandler;
import io.verbena.verbs.SegmentToken;
import io.verbena.verbs.Translation;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongToIntFunction;

/** An address space as seen by the application. */
public final class SoftAddressSpace implements AddressSpace {

    private final SoftVirtualMemory memory;
    private final Process process;
    private final DriverTables driver;
    private final PageFaults faults;
    private final Set<SoftAddressSegment> segments = ConcurrentHashMap.newKeySet();
    private final Closing closing = new Closing();

    /** The last failure to write a page back. Accessed by the thread that closes the space. */
    private Optional<IOException> failure = Optional.empty();

    SoftAddressSpace(SoftVirtualMemory memory, AddressSpaceOptions options) {
        this.memory = memory;
        process = memory.vmm()
                .newProcess(options.name(), options.kernel(), options.maxMappedBytes(), options.maxFrames());
        driver = new DriverTables(memory.vmm(), process);
        faults = new PageFaults(memory.context(), process, this);
    }

    public SoftVirtualMemory memory() {
        return memory;
    }

    public Process process() {
        return process;
    }

    /** The RNIC's copy of the segment table. */
    public DriverTables driver() {
        return driver;
    }

    @Override
    public String name() {
        return process.name();
    }

    @Override
    public boolean kernel() {
        return process.kernel();
    }

    @Override
    public VirtualMemory virtualMemory() {
        return memory;
    }

    /** Fails if the process or its virtual memory is closed. */
    public void checkOpen() {
        memory.checkOpen();
        if (closing.begun()) {
            throw new IllegalStateException("the address space is closed");
        }
    }

    @Override
    public AddressSegment mapPinned(long bytes) {
        return mapPinned(Vmm.ANY_ID, bytes);
    }

    @Override
    public AddressSegment mapPinnedAt(long address, long bytes) {
        return mapPinned(idOf(address, bytes), bytes);
    }

    private AddressSegment mapPinned(int id, long bytes) {
        checkOpen();
        memory.vmm().checkMap(process, id, bytes);
        Backing backing = memory.context().memory().allocate(bytes);
        return keep(id, backing.segment(), true, backing.giveBack(), SegmentOrigin.own());
    }

    private SoftAddressSegment keep(
            int id, MemorySegment pinned, boolean writable, Runnable giveBack, SegmentOrigin origin) {
        Mapping mapping;
        try {
            mapping = memory.vmm().mapPinned(process, id, pinned, giveBack, writable);
        } catch (RuntimeException e) {
            giveBack.run();
            throw e;
        }
        return keep(mapping, origin);
    }

    @Override
    public AddressSegment map(long bytes) throws IOException {
        return map(Vmm.ANY_ID, bytes);
    }

    @Override
    public AddressSegment mapAt(long address, long bytes) throws IOException {
        return map(idOf(address, bytes), bytes);
    }

    private AddressSegment map(int id, long bytes) throws IOException {
        checkOpen();
        memory.vmm().checkMap(process, id, bytes);
        VirtualMemoryOptions options = memory.options();
        return keep(
                id,
                memory.host().openSwap(options.swapDirectory(), bytes, options.pageBytes(), options.direct()),
                bytes);
    }

    @Override
    public AddressSegment mapFile(Path file, long offset, long bytes, boolean writable) throws IOException {
        return mapFile(Vmm.ANY_ID, file, offset, bytes, writable);
    }

    @Override
    public AddressSegment mapFileAt(long address, Path file, long offset, long bytes, boolean writable)
            throws IOException {
        return mapFile(idOf(address, bytes), file, offset, bytes, writable);
    }

    private AddressSegment mapFile(int id, Path file, long offset, long bytes, boolean writable) throws IOException {
        checkOpen();
        int pageBytes = memory.options().pageBytes();
        if (offset < 0 || offset % pageBytes != 0) {
            throw new IllegalArgumentException(
                    "the offset in the file must be a multiple of the page size " + pageBytes + ", not " + offset);
        }
        memory.vmm().checkMap(process, id, bytes);
        boolean direct = memory.options().direct();
        return keep(id, memory.host().openFile(file, offset, bytes, writable, pageBytes, direct), bytes);
    }

    /** The segment ID for a new segment of {@code bytes} bytes that is to contain an address. */
    private static int idOf(long address, long bytes) {
        if (address < AddressLayout.of(1) || address >= AddressLayout.EFFECTIVE_BYTES) {
            throw new IllegalArgumentException(String.format(
                    "address 0x%x is outside the range of segment addresses, 0x%x to 0x%x",
                    address, AddressLayout.of(1), AddressLayout.EFFECTIVE_BYTES - 1));
        }
        if (AddressLayout.within(address) >= bytes) {
            throw new IllegalArgumentException(String.format(
                    "a segment of %d bytes begins at 0x%x and does not reach address 0x%x",
                    bytes, AddressLayout.of(AddressLayout.upper(address)), address));
        }
        return AddressLayout.upper(address);
    }

    @Override
    public AddressSegment mapShareable(long bytes) throws IOException {
        return mapShareable(Vmm.ANY_ID, bytes);
    }

    @Override
    public AddressSegment mapShareableAt(long address, long bytes) throws IOException {
        return mapShareable(idOf(address, bytes), bytes);
    }

    private AddressSegment mapShareable(int id, long bytes) throws IOException {
        checkOpen();
        memory.vmm().checkMap(process, id, bytes);
        SharedSegments.Shareable shareable = memory.host().sharedSegments().create(bytes);
        return keep(id, shareable.memory(), true, shareable::giveBack, SegmentOrigin.of(shareable));
    }

    @Override
    public AddressSegment open(SegmentToken token, boolean writable) throws IOException {
        return open(token, writable, bytes -> Vmm.ANY_ID);
    }

    @Override
    public AddressSegment openAt(long address, SegmentToken token, boolean writable) throws IOException {
        return open(token, writable, bytes -> idOf(address, bytes));
    }

    private AddressSegment open(SegmentToken token, boolean writable, LongToIntFunction idOf) throws IOException {
        checkOpen();
        SharedSegments.Opened opened = memory.host().sharedSegments().open(token, writable);
        int id;
        try {
            id = idOf.applyAsInt(opened.memory().byteSize());
        } catch (RuntimeException e) {
            opened.giveBack();
            throw e;
        }
        SoftAddressSegment softAddressSegment =
                keep(id, opened.memory(), writable, opened::giveBack, SegmentOrigin.own());
        opened.onEnd(softAddressSegment.origin()::end);
        return softAddressSegment;
    }

    private SoftAddressSegment keep(int id, PageStore store, long bytes) throws IOException {
        try {
            return keep(memory.vmm().mapPageable(process, id, store, bytes), SegmentOrigin.own());
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    private SoftAddressSegment keep(Mapping mapping, SegmentOrigin origin) {
        SoftAddressSegment softAddressSegment = new SoftAddressSegment(this, mapping, origin);
        segments.add(softAddressSegment);
        softAddressSegment.follow();
        return softAddressSegment;
    }

    void segmentClosed(SoftAddressSegment segment) {
        segments.remove(segment);
    }

    @Override
    public AddressSegment share(AddressSegment segment, boolean writable) {
        SoftAddressSegment other = own(segment);
        return keep(memory.vmm().share(other.mapping(), process, Vmm.ANY_ID, writable), other.origin());
    }

    @Override
    public AddressSegment shareAt(long address, AddressSegment segment, boolean writable) {
        SoftAddressSegment other = own(segment);
        return keep(
                memory.vmm().share(other.mapping(), process, idOf(address, other.length()), writable), other.origin());
    }

    private SoftAddressSegment own(AddressSegment segment) {
        checkOpen();
        if (!(segment instanceof SoftAddressSegment other) || other.memory() != memory) {
            throw new IllegalArgumentException("the segment belongs to another virtual memory");
        }
        return other;
    }

    @Override
    public List<AddressSegment> segments() {
        return segments.stream()
                .filter(SoftAddressSegment::mapped)
                .<AddressSegment>map(each -> each)
                .toList();
    }

    @Override
    public void read(long address, MemorySegment to, long toOffset, long bytes) throws IOException {
        copy(address, to, toOffset, bytes, false);
    }

    @Override
    public void write(long address, MemorySegment from, long fromOffset, long bytes) throws IOException {
        copy(address, from, fromOffset, bytes, true);
    }

    private void copy(long address, MemorySegment other, long offset, long bytes, boolean write) throws IOException {
        checkOpen();
        long pageBytes = memory.options().pageBytes();
        long done = 0;
        while (done < bytes) {
            long at = address + done;
            long otherAt = offset + done;
            int piece = (int) Math.min(bytes - done, pageBytes - at % pageBytes);
            memory.until(() -> outcome(memory.program().copy(process, at, other, otherAt, piece, write), at));
            done += piece;
        }
    }

    private static boolean outcome(ProgramAccess.Outcome outcome, long address) throws IOException {
        return switch (outcome) {
            case DONE -> true;
            case NOT_NOW -> false;
            case NOT_MAPPED ->
                throw new IllegalArgumentException(
                        String.format("nothing is mapped at effective address 0x%x", address));
            case NOT_WRITABLE ->
                throw new IllegalArgumentException(String.format("effective address 0x%x may not be written", address));
            case LOST ->
                throw new IOException(String.format("the page of effective address 0x%x cannot be read", address));
        };
    }

    @Override
    public Translation translate(long address) {
        return memory.vmm().lookUp(process, address);
    }

    @Override
    public long mapLocalPage(long virtualAddress) throws IOException {
        checkKernel();
        long[] frame = new long[1];
        memory.until(() -> (frame[0] = memory.vmm().mapLocalPage(virtualAddress)) >= 0);
        return frame[0];
    }

    void checkKernel() {
        if (!process.kernel()) {
            throw new IllegalArgumentException("invalid parameter: the process '" + process.name()
                    + "' is a user process, which can use effective addresses only");
        }
    }

    @Override
    public void onPageFault(PageFaultHandler handler) {
        faults.handler(handler);
    }

    /** The RNIC's default page fault handler, for a process that has none of its own. */
    public void defaultHandler(PageFaultHandler handler) {
        faults.defaultHandler(handler);
    }

    @Override
    public void close() throws IOException {
        if (closing.close(memory.context(), () -> {}, this::release) && failure.isPresent()) {
            throw failure.get();
        }
    }

    private void release() {
        for (SoftAddressSegment segment : segments) {
            try {
                segment.close();
            } catch (IOException e) {
                failure = Optional.of(e);
            }
        }
        memory.vmm().endProcess(process);
        memory.spaceClosed(this);
    }

    @Override
    public String toString() {
        return "address space '" + name() + "'";
    }
}
