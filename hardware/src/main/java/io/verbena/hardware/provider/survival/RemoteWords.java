package io.verbena.hardware.provider.survival;

/**
 * The {@link LogWords} of the peer.
 *
 * @param address of the first one
 * @param key the key by which this side writes them
 */
public record RemoteWords(long address, int key) {}
