package io.verbena.hardware.fake;

import io.verbena.hardware.abi.IbvQpCap;
import io.verbena.hardware.abi.IbvQpInitAttr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The keys of the queues that siw maps into a process. Each key is an offset in the file of the context, and the lowest free one is taken;
 * libsiw takes one of them for the sign of an error.
 */
final class FakeKeys {

    private static final int PAGE_BYTES = 4096;
    private static final int INVALID_KEY = 0x90000;
    private static final int CQE_BYTES = 32;
    private static final int SQE_BYTES = 176;
    private static final int RQE_BYTES = 112;

    private final BitSet pages = new BitSet();
    private final Map<Long, int[]> keys = new HashMap<>();

    void install(Map<NativeFunction, FakeLibrary.Behaviour> table) {
        wrap(table, NativeFunction.CREATE_CQ, NativeFunction.DESTROY_CQ, it -> new int[] {(int) it[1] * CQE_BYTES + 8});
        wrap(table, NativeFunction.CREATE_QP, NativeFunction.DESTROY_QP, it -> {
            long cap = it[1] + IbvQpInitAttr.CAP;
            return new int[] {
                Native.intAt(cap + IbvQpCap.MAX_SEND_WR) * SQE_BYTES,
                Native.intAt(cap + IbvQpCap.MAX_RECV_WR) * RQE_BYTES
            };
        });
    }

    /** The numbers of bytes that a call maps. */
    private interface Mapping {
        int[] bytes(long[] arguments);
    }

    private void wrap(
            Map<NativeFunction, FakeLibrary.Behaviour> table,
            NativeFunction create,
            NativeFunction destroy,
            Mapping mapping) {
        FakeLibrary.Behaviour creates = Objects.requireNonNull(table.get(create));
        FakeLibrary.Behaviour destroys = Objects.requireNonNull(table.get(destroy));
        table.put(create, it -> {
            int[] ranges = mapped(mapping.bytes(it));
            long created = creates.call(it);
            keys.put(created, ranges);
            return created;
        });
        table.put(destroy, it -> {
            free(keys.getOrDefault(it[0], new int[0]));
            return destroys.call(it);
        });
    }

    /** First pages and numbers of pages of new mappings. */
    private int[] mapped(int[] bytes) {
        int[] ranges = new int[bytes.length * 2];
        boolean valid = true;
        for (int i = 0; i < bytes.length; i++) {
            int count = Math.max(1, (bytes[i] + PAGE_BYTES - 1) / PAGE_BYTES);
            int first = pages.nextClearBit(0);
            for (int used = pages.nextSetBit(first);
                    used >= 0 && used < first + count;
                    used = pages.nextSetBit(first)) {
                first = pages.nextClearBit(used);
            }
            pages.set(first, first + count);
            ranges[2 * i] = first;
            ranges[2 * i + 1] = count;
            valid &= first * PAGE_BYTES != INVALID_KEY;
        }
        if (!valid) {
            free(ranges);
            throw new FakeFailure(FakeFailure.NO_REASON);
        }
        return ranges;
    }

    private void free(int[] ranges) {
        for (int i = 0; i < ranges.length; i += 2) {
            pages.clear(ranges[i], ranges[i] + ranges[i + 1]);
        }
    }
}
