package io.verbena.iwarp;

import io.verbena.work.LocalBuffers;
import io.verbena.work.OneShotKeys;
import io.verbena.work.QueuePairContext;
import io.verbena.work.RemoteAccess;
import java.util.Optional;

/**
 * What the parts of one stream share.
 *
 * @param settings as negotiated
 * @param queuePair queues and memory of the queue pair
 * @param state who may send, and how the stream ends
 * @param keepAlive probes of a silent peer
 * @param access checks the peer's accesses
 * @param buffers gathers and scatters local payload
 * @param inbound Reads and atomics of the peer that are not answered yet
 * @param outstanding Reads and atomics of this side that are not answered yet
 * @param oneShot numbers messages for one-shot keys
 * @param readSinkStag the STag that this side's Read Requests name as their sink
 * @param surviving what outlives the stream, if the connection survives its transport
 */
record StreamContext(
        StreamSettings settings,
        QueuePairContext queuePair,
        StreamState state,
        KeepAlive keepAlive,
        RemoteAccess access,
        LocalBuffers buffers,
        InboundReads inbound,
        OutstandingReads outstanding,
        OneShotKeys oneShot,
        int readSinkStag,
        Optional<SurvivingWork> surviving) {

    /** The context of a stream that begins. */
    static StreamContext of(
            StreamSettings settings, QueuePairContext queuePair, int readSinkStag, Optional<SurvivingWork> surviving) {
        StreamState state = new StreamState(settings.initiator());
        return new StreamContext(
                settings,
                queuePair,
                state,
                new KeepAlive(state),
                new RemoteAccess(queuePair),
                new LocalBuffers(queuePair),
                // A Read as RTR frame is answered even when no Reads were agreed.
                new InboundReads(settings.inboundReads()),
                new OutstandingReads(settings.outboundReads()),
                new OneShotKeys(queuePair.regions(), queuePair.number()),
                readSinkStag,
                surviving);
    }
}
