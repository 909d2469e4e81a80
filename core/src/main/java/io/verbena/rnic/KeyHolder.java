package io.verbena.rnic;

/** The queue pair that a remote key is bound for, as the key's memory window knows it. */
interface KeyHolder {

    /** The queue pair's number. */
    int number();

    /** Whether what is posted to it is flushed, so that its peer cannot use a key. */
    boolean flushesPosts();
}
