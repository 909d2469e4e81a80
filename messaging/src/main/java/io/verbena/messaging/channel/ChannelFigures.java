package io.verbena.messaging.channel;

/**
 * Counters and present sizes of a channel.
 *
 * @param buffers present sizes
 * @param changes changes of the sizes
 * @param elements elements and their payloads
 * @param messages messages of a communicator
 */
public record ChannelFigures(Buffers buffers, Changes changes, Elements elements, Messages messages) {

    /**
     * Present sizes.
     *
     * @param registeredBytes present number of registered bytes of rings, staging buffers and the control block of this side
     * @param sendPayloadBytes largest payload of an outgoing element on virtual channel 0
     * @param receivePayloadBytes largest payload of an incoming element on virtual channel 0
     * @param sendPhase number of the present phase of the policy, from 0
     */
    public record Buffers(long registeredBytes, int sendPayloadBytes, int receivePayloadBytes, int sendPhase) {}

    /**
     * Changes of the sizes.
     *
     * @param enlargements number of times that the send buffers of this side grew
     * @param shrinks number of times that the send buffers of this side became smaller
     * @param refusals requests that were granted other buffers, or were not sent for lack of memory
     * @param repetitions requests for the repetition of an acknowledgement
     */
    public record Changes(long enlargements, long shrinks, long refusals, long repetitions) {}

    /**
     * Elements and their payloads.
     *
     * @param sent outgoing elements
     * @param received incoming elements
     * @param copies payloads copied into or out of slots
     * @param copiedBytes bytes copied into or out of slots
     * @param announced elements sent with an announcement
     * @param returnWrites Writes whose only purpose was to return slots
     */
    public record Elements(
            long sent, long received, long copies, long copiedBytes, long announced, long returnWrites) {}

    /**
     * Messages of a communicator.
     *
     * @param eager messages of a communicator sent through slots
     * @param rendezvous messages of a communicator sent from user memory to user memory
     */
    public record Messages(long eager, long rendezvous) {}
}
