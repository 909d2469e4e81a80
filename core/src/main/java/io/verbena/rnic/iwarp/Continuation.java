package io.verbena.rnic.iwarp;

import io.verbena.iwarp.Ending;
import io.verbena.iwarp.SurvivingWork;
import io.verbena.iwarp.startup.ResponderStartUp;
import io.verbena.port.ByteStream;
import io.verbena.rnic.PacketCarriage;
import io.verbena.rnic.QueuePairEndpoint;
import io.verbena.survival.AssociationId;
import io.verbena.survival.ResumeMessage;
import io.verbena.verbs.TransportChanges;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * What continues a connection over another stream, as its stages and listeners know it. The engine of the queue pair
 * calls every method unless the method is marked "Any thread".
 */
interface Continuation {

    /** The name by which the peer finds the connection again. Any thread. */
    AssociationId id();

    /** The queue pair. Any thread. */
    QueuePairEndpoint endpoint();

    /** The message in bytes that have an id; empty if its code is wrong. Any thread. */
    Optional<ResumeMessage> open(byte[] bytes);

    /** The answer to a PROBE of the peer. Any thread. */
    byte[] alive(ResumeMessage probe);

    /** The changes so far. Any thread. */
    TransportChanges changes();

    /** How long the peer may be silent on the next stream, if that is usually so long. */
    long silenceNs(long usualNs);

    /** How long the peer may be silent on the next stream while another address answers; 0 for no such limit. */
    long standbyNs();

    /** The peer is silent for that time. Called again and again while it is. */
    void onSilence(long nowNs);

    /** What outlives the streams. */
    SurvivingWork work();

    /** The current stream is to be left. */
    void transportEnded(String sentence, long nowNs);

    /**
     * The current stream has ended.
     *
     * @param exited whether it has ended as the system ends that of a killed process
     * @param progress of the close, which bounds the time to look for the peer
     */
    void streamEnded(Ending ending, boolean exited, CloseProgress progress, long nowNs);

    /**
     * Packets carry the connection no more.
     *
     * @param exited whether the stream beside them has ended as the system ends that of a killed process
     * @param progress of the close, which bounds the time to look for the peer
     */
    void packetsEnded(boolean exited, CloseProgress progress, String sentence, long nowNs);

    /** Only streams carry the connection from now on. */
    void streamsOnly();

    /** Prepares packets for the next set-up; empty if they are not to carry the connection. */
    Optional<PacketCarriage> packets(SocketAddress local);

    /** Time has passed without a stream. */
    void onDeadline(long nowNs);

    /** A RESUME of the peer has arrived. */
    void onResume(ResumeMessage resume, ByteStream stream, ResponderStartUp startUp, long nowNs);

    /**
     * An attempt of this side has no answer, or its stream ended before it carried anything.
     *
     * @param refused whether nothing listens at the address
     */
    void setUpFailed(boolean refused, String sentence, long nowNs);

    /** The Reply to the current attempt rejects it. */
    void onRejected(byte[] answer, long nowNs);

    /** The set-up of a stream is complete. Returns whether this stream carries the connection from now on. */
    boolean onAccepted(byte[] answer, long nowNs);

    /** A stream carries the connection, or packets do. */
    void carried(boolean byStream, long nowNs);

    /** The connection ends, and nothing continues it. */
    void end();

    /** A hash of the state. */
    long stateDigest(long nowNs);
}
