package io.verbena.tools.memory;

import io.verbena.base.Times;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SegmentOffer;
import io.verbena.verbs.SegmentOfferOptions;
import io.verbena.verbs.SegmentToken;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.function.Consumer;

/**
 * A segment that two processes have open. The opener writes a text; the owner reads it and ends the offer.
 *
 * <pre>
 *   0 | bytes of the text 8, last | text |
 * </pre>
 */
public final class SharedText {

    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final int TEXT_AT = 8;
    private static final int MOST_TEXT_BYTES = 1000;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final VarHandle LENGTH = ValueLayout.JAVA_LONG.varHandle();

    private final RnicOptions options;
    private final StopSignal stop;
    private final Consumer<String> say;

    /** @param say receives what happens, line by line */
    public SharedText(RnicOptions options, StopSignal stop, Consumer<String> say) {
        this.options = options;
        this.stop = stop;
        this.say = say;
    }

    /**
     * Where the segment is in this process.
     *
     * @param address effective address
     * @param rkey key for peers
     * @param text what the opener has written
     * @param reason why the segment is unmapped, in the opener
     */
    public record Result(long address, int rkey, String text, String reason) {}

    /** Offers a segment, and waits until another process has written to it. */
    public Result share() throws IOException, Failure {
        SegmentOfferOptions offered = SegmentOfferOptions.defaults().withWritable(true);
        try (Rnic rnic = Rnic.open(options);
                VirtualMemory memory = rnic.openVirtualMemory(VirtualMemoryOptions.defaults());
                AddressSpace space = memory.createAddressSpace("share");
                AddressSegment segment = space.mapShareable(SEGMENT_BYTES);
                MemoryRegion region = region(rnic, segment);
                SegmentOffer offer = segment.offer(offered)) {
            tell(segment, region);
            say.accept("Within " + offered.lifetime().toSeconds() + " s, open it once, as the same user:");
            say.accept("");
            say.accept("  verbena memory open "
                    + HexFormat.of().formatHex(offer.token().toBytes()));
            say.accept("");
            MemorySegment bytes = segment.segment().orElseThrow();
            String text = arrived(bytes, offer);
            say.accept("The text in the segment is: " + text);
            boolean released = offer.revoke(PATIENCE);
            say.accept("The offer has ended. "
                    + (released
                            ? "The other process has unmapped the segment."
                            : "The other process does not respond."));
            return new Result(segment.address(), region.rkey(), text, "");
        }
    }

    private String arrived(MemorySegment bytes, SegmentOffer offer) throws Failure {
        long endNs = System.nanoTime() + Times.nanos(offer.options().lifetime());
        long length = 0;
        while (length == 0) {
            stop.check();
            if (System.nanoTime() - endNs >= 0 && offer.processes().isEmpty()) {
                throw new Failure("No process has written to the segment within "
                        + offer.options().lifetime().toSeconds() + " s.");
            }
            pause();
            length = (long) LENGTH.getAcquire(bytes, 0L);
        }
        byte[] text =
                bytes.asSlice(TEXT_AT, Math.clamp(length, 0, MOST_TEXT_BYTES)).toArray(ValueLayout.JAVA_BYTE);
        return new String(text, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
    }

    private static void pause() throws Failure {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("The wait for another process was interrupted.", e);
        }
    }

    /** Opens a segment, writes to it, and waits until its owner ends the offer. */
    public Result open(SegmentToken token) throws IOException, Failure {
        try (Rnic rnic = Rnic.open(options);
                VirtualMemory memory = rnic.openVirtualMemory(VirtualMemoryOptions.defaults());
                AddressSpace space = memory.createAddressSpace("open");
                AddressSegment segment = space.open(token, true);
                MemoryRegion region = region(rnic, segment)) {
            tell(segment, region);
            String text = "Written by process " + ProcessHandle.current().pid() + ".";
            byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
            MemorySegment bytes = segment.segment().orElseThrow();
            MemorySegment.copy(encoded, 0, bytes, ValueLayout.JAVA_BYTE, TEXT_AT, encoded.length);
            LENGTH.setRelease(bytes, 0L, (long) encoded.length);
            String reason = end(rnic);
            say.accept(reason);
            return new Result(segment.address(), region.rkey(), text, reason);
        }
    }

    private String end(Rnic rnic) throws Failure {
        long endNs = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - endNs < 0) {
            stop.check();
            for (AsyncEvent event : rnic.pollAsyncEvents(PAUSE)) {
                if (event.type() == AsyncEventType.REGION_LOST) {
                    return event.sentence();
                }
            }
        }
        throw new Failure("The owner has not ended the offer within " + PATIENCE.toSeconds() + " s.");
    }

    private static MemoryRegion region(Rnic rnic, AddressSegment segment) {
        return rnic.allocateProtectionDomain().register(segment, 0, segment.length(), AccessRight.REMOTE_READ);
    }

    private void tell(AddressSegment segment, MemoryRegion region) {
        say.accept(String.format(
                "The segment has %,d bytes. In this process (%d) it is at address 0x%x, with the key 0x%08x.",
                segment.length(), ProcessHandle.current().pid(), segment.address(), region.rkey()));
    }
}
