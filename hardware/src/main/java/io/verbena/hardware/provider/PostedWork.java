package io.verbena.hardware.provider;

import io.verbena.hardware.provider.request.IdTable;
import io.verbena.hardware.provider.request.SlotTable;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.TransportService;
import java.net.InetAddress;
import java.util.Optional;

/** A queue pair as the RNIC and the entries of its work see it. */
interface PostedWork extends QueuePair, IdTable.Member {

    /** Its ibv_qp. */
    long qp();

    TransportService service();

    /** The slots of its send queue. */
    SlotTable sends();

    /** The slots of its receive queue. */
    SlotTable receives();

    /**
     * An entry was fetched. Returns whether the program does not see it, because the request is outstanding without a
     * transport.
     */
    boolean keeps(boolean receive, int slot, CompletionStatus status);

    /** The request in a slot of the send queue has failed. */
    void failedSend(int slot);

    /** An entry reports a failure, after which the adapter executes no more work of the queue pair. */
    void onFailedWork(CompletionStatus status);

    /** The queue pair has failed, and with it its connection. */
    void fail(String sentence);

    /** The adapter has failed: the work is flushed. */
    void adapterFailed();

    /** The path to a multicast group, if the queue pair is a member. */
    Optional<byte[]> path(InetAddress group);

    /** A key of its domain was invalidated. */
    void invalidated(int key);
}
