package io.verbena.ib.unreliable;

import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Selects the queue pair that receives a raw packet, by the next header field and the destination address of its IPv6
 * header. The first matching rule applies; a packet without a matching rule is dropped.
 *
 * <pre>
 *   IPv6: | version, class, flow label 4 | length 2 | next header 1 | hop limit 1 | source 16 | destination 16 |
 * </pre>
 *
 * @param <Q> a queue pair
 */
public final class RawSteering<Q> {

    /** Length of an IPv6 header in bytes. */
    public static final int HEADER_BYTES = 40;

    /** Matches every next header. */
    public static final int ANY = -1;

    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int NEXT_HEADER = 6;
    private static final int DESTINATION = 24;

    private final List<Rule<Q>> rules = new ArrayList<>();

    /**
     * The packets that a queue pair receives.
     *
     * @param nextHeader next header of the packets, or {@link #ANY}
     * @param anyAddress whether the destination address is irrelevant
     * @param target receives the packets
     */
    public record Rule<Q>(int nextHeader, boolean anyAddress, long high, long low, Optional<Q> target) {

        boolean matches(int header, long destinationHigh, long destinationLow) {
            return (nextHeader == ANY || nextHeader == header)
                    && (anyAddress || high == destinationHigh && low == destinationLow);
        }
    }

    /** Packets with this next header, or {@link #ANY}, and any destination address. */
    public static <Q> Rule<Q> any(int nextHeader, Q target) {
        return new Rule<>(nextHeader, true, 0, 0, Optional.of(target));
    }

    /** Packets with this next header, or {@link #ANY}, and this destination address. */
    public static <Q> Rule<Q> to(int nextHeader, long high, long low, Q target) {
        return new Rule<>(nextHeader, false, high, low, Optional.of(target));
    }

    /** Adds a rule. The first rule that matches a packet decides. */
    public void add(Rule<Q> rule) {
        rules.add(rule);
    }

    /** Removes one rule; equal rules that were added separately remain. */
    @SuppressWarnings("ReferenceEquality") // equal rules are different ones
    public void remove(Rule<Q> rule) {
        rules.removeIf(each -> each == rule);
    }

    /** Removes all rules of a queue pair. */
    @SuppressWarnings("ReferenceEquality")
    public void removeAll(Q target) {
        rules.removeIf(each -> each.target().orElseThrow() == target);
    }

    /** The queue pair for a packet; empty if the packet is not IPv6 or no rule matches. */
    public Optional<Q> find(IbPacket packet, MemorySegment segment) {
        if (!RawEngine.carriesIpv6(packet, segment)) {
            return Optional.empty();
        }
        long at = packet.payloadOffset();
        int nextHeader = segment.get(ValueLayout.JAVA_BYTE, at + NEXT_HEADER) & 0xff;
        long high = segment.get(U64, at + DESTINATION);
        long low = segment.get(U64, at + DESTINATION + Long.BYTES);
        for (int i = 0; i < rules.size(); i++) {
            if (rules.get(i).matches(nextHeader, high, low)) {
                return rules.get(i).target();
            }
        }
        return Optional.empty();
    }
}
