package io.verbena.hardware.provider;

import io.verbena.hardware.abi.Native;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A template of a request. Posting copies it to the native request of a slot. */
final class HardwareWorkRequest implements WorkRequest {

    private final HardwareDomain domain;
    private final HardwareRegion[] regions;
    private final long[] offsets;
    private final int[] lengths;
    private final byte[] inline;
    private WorkOpcode opcode = WorkOpcode.SEND;
    private WrFlags flags = WrFlags.SIGNALLED;
    private long wrId;
    private int count;
    private int length;
    private boolean ownsData;
    private long remoteAddress;
    private int rkey;
    private long first;
    private long second;
    private @Nullable HardwareAddressHandle destination;
    private @Nullable HardwareWindow window;
    private @Nullable HardwareRegion bindRegion;
    private int bindAccess;
    private int destinationNumber;
    private int qkey;

    HardwareWorkRequest(HardwareDomain domain, int maxElements, int maxInlineBytes) {
        this.domain = domain;
        regions = new HardwareRegion[maxElements];
        offsets = new long[maxElements];
        lengths = new int[maxElements];
        inline = new byte[maxInlineBytes];
    }

    private HardwareWorkRequest begin(WorkOpcode value) {
        opcode = value;
        flags = WrFlags.SIGNALLED;
        wrId = 0;
        remoteAddress = 0;
        rkey = 0;
        first = 0;
        second = 0;
        destination = null;
        window = null;
        bindRegion = null;
        bindAccess = 0;
        noElements();
        return this;
    }

    @Override
    public WorkRequest send() {
        return begin(WorkOpcode.SEND);
    }

    @Override
    public WorkRequest sendWithInvalidate(int remoteKey) {
        begin(WorkOpcode.SEND_WITH_INVALIDATE).first = remoteKey;
        return this;
    }

    @Override
    public WorkRequest sendWithImmediate(long immediate) {
        begin(WorkOpcode.SEND_WITH_IMMEDIATE).first = immediate;
        return this;
    }

    @Override
    public WorkRequest write(long address, int key) {
        return begin(WorkOpcode.WRITE).remote(address, key);
    }

    @Override
    public WorkRequest writeWithImmediate(long address, int key, long immediate) {
        begin(WorkOpcode.WRITE_WITH_IMMEDIATE).first = immediate;
        return remote(address, key);
    }

    @Override
    public WorkRequest read(long address, int key) {
        return begin(WorkOpcode.READ).remote(address, key);
    }

    @Override
    public WorkRequest readWithInvalidate(long address, int key, int localKeyToInvalidate) {
        begin(WorkOpcode.READ_WITH_INVALIDATE).first = localKeyToInvalidate;
        return remote(address, key);
    }

    @Override
    public WorkRequest compareAndSwap(long address, int key, long expected, long desired) {
        HardwareWorkRequest request = begin(WorkOpcode.COMPARE_AND_SWAP);
        request.first = expected;
        request.second = desired;
        return remote(address, key);
    }

    @Override
    public WorkRequest fetchAndAdd(long address, int key, long addend) {
        begin(WorkOpcode.FETCH_AND_ADD).first = addend;
        return remote(address, key);
    }

    @Override
    public WorkRequest bind(MemoryWindow to, MemoryRegion region, long offset, long bytes, AccessRight... rights) {
        HardwareWindow hardwareWindow = HardwareWindow.of(to, domain);
        HardwareRegion range = HardwareRegion.of(region);
        long _ = range.address(domain, offset, bytes);
        begin(WorkOpcode.BIND).window = hardwareWindow;
        bindRegion = range;
        first = offset;
        second = bytes;
        bindAccess = HardwareRegion.bits(Set.of(rights), false);
        return this;
    }

    @Override
    public WorkRequest unbind(MemoryWindow from) {
        HardwareWindow hardwareWindow = HardwareWindow.of(from, domain);
        begin(WorkOpcode.UNBIND).window = hardwareWindow;
        return this;
    }

    @Override
    public WorkRequest localInvalidate(int key) {
        begin(WorkOpcode.LOCAL_INVALIDATE).first = key;
        return this;
    }

    @Override
    public WorkRequest delay(long delayNs) {
        if (delayNs < 0) {
            throw new IllegalArgumentException("the delay must not be negative: " + delayNs + " ns");
        }
        begin(WorkOpcode.DELAY).first = delayNs;
        return this;
    }

    @Override
    public WorkRequest receive() {
        return begin(WorkOpcode.RECEIVE);
    }

    @Override
    public WorkRequest id(long value) {
        wrId = value;
        return this;
    }

    @Override
    public WorkRequest flags(WrFlags value) {
        flags = ownsData && !value.inline() ? value.withInline() : value;
        return this;
    }

    @Override
    public WorkRequest element(MemoryRegion region, long offset, int bytes) {
        HardwareRegion hardwareRegion = HardwareRegion.of(region);
        long _ = hardwareRegion.address(domain, offset, bytes);
        if (ownsData) {
            throw new IllegalStateException(
                    "the template already contains inline data; call noElements() to remove it");
        }
        if (count == regions.length) {
            throw new IllegalArgumentException("the list has " + regions.length + " elements at most");
        }
        if ((long) length + bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a message has at most " + Integer.MAX_VALUE + " bytes");
        }
        regions[count] = hardwareRegion;
        offsets[count] = offset;
        lengths[count++] = bytes;
        length += bytes;
        return this;
    }

    @Override
    public WorkRequest inlineData(MemorySegment data, long offset, int bytes) {
        if (bytes > inline.length) {
            throw new IllegalArgumentException(bytes + " bytes of inline data are more than the " + inline.length
                    + " of this queue pair; see maxInlineBytes");
        }
        noElements();
        MemorySegment.copy(data, java.lang.foreign.ValueLayout.JAVA_BYTE, offset, inline, 0, bytes);
        length = bytes;
        ownsData = true;
        return flags(flags);
    }

    @Override
    public WorkRequest noElements() {
        count = 0;
        length = 0;
        ownsData = false;
        return this;
    }

    @Override
    public WorkRequest remote(long address, int key) {
        remoteAddress = address;
        rkey = key;
        return this;
    }

    @Override
    public WorkRequest to(AddressHandle handle, int queuePairNumber, int key) {
        if (!(handle instanceof HardwareAddressHandle hardwareAddressHandle)) {
            throw new IllegalArgumentException("the address handle belongs to another RNIC");
        }
        long _ = hardwareAddressHandle.ah(domain);
        destination = hardwareAddressHandle;
        destinationNumber = queuePairNumber;
        qkey = key;
        return this;
    }

    @Override
    public WorkOpcode opcode() {
        return opcode;
    }

    // Posting.

    HardwareDomain domain() {
        return domain;
    }

    WrFlags flags() {
        return flags;
    }

    long wrId() {
        return wrId;
    }

    int count() {
        return count;
    }

    int length() {
        return length;
    }

    long remoteAddress() {
        return remoteAddress;
    }

    int rkey() {
        return rkey;
    }

    /** The window of a bind or unbind. */
    HardwareWindow window() {
        return Objects.requireNonNull(window);
    }

    /** The region of a bind. */
    HardwareRegion bindRegion() {
        return Objects.requireNonNull(bindRegion);
    }

    /** The access flags of a bind. */
    int bindAccess() {
        return bindAccess;
    }

    /** Immediate data, a key, the addend, the expected value, a time, or the offset of a bind. */
    long first() {
        return first;
    }

    long second() {
        return second;
    }

    @Nullable
    HardwareAddressHandle destination() {
        return destination;
    }

    int destinationNumber() {
        return destinationNumber;
    }

    int qkey() {
        return qkey;
    }

    /** Checks that all regions can still be used. */
    void checkRegions() {
        if (bindRegion != null) {
            long _ = bindRegion.address(domain, first, second);
        }
        for (int i = 0; i < count; i++) {
            long _ = regions[i].address(domain, offsets[i], lengths[i]);
        }
    }

    /** Copies the payload to inline memory. */
    void copyInline(long to) {
        if (ownsData) {
            Native.put(to, inline, length);
            return;
        }
        long at = to;
        for (int i = 0; i < count; i++) {
            Native.copy(regions[i].segment(), offsets[i], at, lengths[i]);
            at += lengths[i];
        }
    }

    /** Adds the elements to the request of a slot; empty ones, which not every adapter takes, are left out. */
    void addElements(RequestRing ring, int slot) {
        for (int i = 0; i < count; i++) {
            if (lengths[i] > 0) {
                ring.element(
                        slot, regions[i].address(domain, offsets[i], lengths[i]), lengths[i], regions[i].localKey());
            }
        }
    }
}
