package io.verbena.messaging;

/**
 * What a channel has done and holds.
 *
 * @param registeredBytes rings, staging and control block of this side, now
 * @param sendPayloadBytes most payload of an element that goes out, virtual channel 0
 * @param receivePayloadBytes most payload of an element that comes in, virtual channel 0
 * @param sendPhase number of the phase of the policy that is, from 0
 * @param enlargements buffers of this side's sending that grew
 * @param shrinks buffers of this side's sending that became smaller
 * @param refusals requests that were answered with other buffers, or not made for want of memory
 * @param repetitions acknowledgements that were asked for once more
 * @param sent elements that went out
 * @param received elements that came in
 * @param copies payloads copied into or out of slots
 * @param copiedBytes bytes of these
 * @param announced elements sent with an announcement
 * @param returnWrites Writes that did nothing but give slots back
 * @param eager messages sent through slots by a communicator
 * @param rendezvous messages sent from user memory to user memory by a communicator
 */
public record ChannelFigures(
        long registeredBytes,
        int sendPayloadBytes,
        int receivePayloadBytes,
        int sendPhase,
        long enlargements,
        long shrinks,
        long refusals,
        long repetitions,
        long sent,
        long received,
        long copies,
        long copiedBytes,
        long announced,
        long returnWrites,
        long eager,
        long rendezvous) {}
