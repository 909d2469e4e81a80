package io.verbena.rnic.memory;

/** The queue pair that a remote key is bound for, as seen by the key's memory window. */
public interface KeyHolder {

    /** The protection domain of the queue pair. */
    DomainObjects domain();

    /** The queue pair number. */
    int number();

    /** Whether posted work is flushed. If so, the peer of the queue pair cannot use a key. */
    boolean flushesPosts();
}
