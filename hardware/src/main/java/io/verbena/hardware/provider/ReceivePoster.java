package io.verbena.hardware.provider;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.provider.request.RequestRing;
import io.verbena.hardware.provider.request.SlotTable;
import io.verbena.hardware.provider.request.WorkId;
import io.verbena.objects.PostingRules;
import io.verbena.objects.Template;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.VerbsException;

/** Posts receives to the queue of one queue pair. */
final class ReceivePoster {

    private final HardwareQueuePair queuePair;
    private final SlotTable slots;
    private final RequestRing ring;

    ReceivePoster(HardwareQueuePair queuePair) {
        this.queuePair = queuePair;
        slots = queuePair.receives();
        // Without elements of its own if there is an SRQ, whose options have the number.
        boolean shared = queuePair.options().sharedReceiveQueue().isPresent();
        ring = RequestRing.receives(
                slots.depth(), shared ? 1 : queuePair.options().maxScatter());
    }

    boolean post(long wrId, MemoryRegion region, long offset, int length) {
        HardwareRegion hardwareRegion = HardwareRegion.of(region, queuePair.domain());
        PostingRules.range(hardwareRegion.length(), offset, length);
        if (!begin()) {
            return false;
        }
        if (!queuePair.state().failed()) {
            // A list without elements is refused by some adapters, one element of length 0 by none.
            ring.element(slots.next(), hardwareRegion.address() + offset, length, hardwareRegion.localKey());
        }
        return commit(wrId, length);
    }

    boolean post(Template template) {
        template.check(queuePair.options().maxScatter(), 0);
        if (!begin()) {
            return false;
        }
        ring.receiveElements(slots.next(), template);
        return commit(template.wqe().wrId(), template.length());
    }

    private boolean begin() {
        queuePair.checkOpen();
        if (queuePair.options().sharedReceiveQueue().isPresent()) {
            throw PostingRules.usesSharedQueue();
        }
        if (slots.full()) {
            return false;
        }
        int slot = slots.next();
        long _ = ring.begin(slot, WorkId.receive(queuePair.id(), slot));
        return true;
    }

    private boolean commit(long wrId, int length) {
        if (queuePair.state().failed()) {
            queuePair.flush(wrId, CompletionOpcode.RECEIVE);
            return true;
        }
        int slot = slots.next();
        boolean _ = slots.add(wrId, CompletionOpcode.RECEIVE, length, true);
        SurvivingQueues surviving = queuePair.surviving();
        int errno = surviving == null ? give(slot) : surviving.postReceive(slot);
        if (errno == 0) {
            return true;
        }
        slots.takeBack();
        return refused(errno);
    }

    private int give(int slot) {
        return queuePair.domain().rnic().adapter().calls().postRecv(queuePair.qp(), ring.request(slot), ring.bad());
    }

    RequestRing requests() {
        return ring;
    }

    private static boolean refused(int errno) {
        if (errno == Errno.ENOMEM) {
            return false;
        }
        throw new VerbsException("The adapter refused a receive: " + Errno.text(errno) + ".");
    }
}
