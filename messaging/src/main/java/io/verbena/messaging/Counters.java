package io.verbena.messaging;

/** What a channel counts; written by its thread only. */
final class Counters {
    long enlargements;
    long shrinks;
    long refusals;
    long repetitions;
    long sent;
    long received;
    long copies;
    long copiedBytes;
    long announced;
    long returnWrites;
    long eager;
    long rendezvous;

    void copied(long bytes) {
        copies++;
        copiedBytes += bytes;
    }
}
