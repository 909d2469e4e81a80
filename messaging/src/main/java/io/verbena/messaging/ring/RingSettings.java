package io.verbena.messaging.ring;

import io.verbena.messaging.policy.EnlargementPolicy;

/**
 * Settings of the rings of a channel.
 *
 * @param policy sizes of buffers and when they change
 * @param slots number of slots of a ring
 * @param acknowledgementTimeoutNs time after which a repetition of an acknowledgement is requested
 * @param patienceNs time after which the channel ends if no acknowledgement arrives
 * @param tailBoundNs maximum time between the head flag and the tail flag of an acknowledgement
 */
public record RingSettings(
        EnlargementPolicy policy, int slots, long acknowledgementTimeoutNs, long patienceNs, long tailBoundNs) {}
