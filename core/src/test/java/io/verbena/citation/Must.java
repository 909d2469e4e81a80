package io.verbena.citation;

/**
 * One requirement of an RFC.
 *
 * @param section where, for example {@code 7.1}
 * @param ordinal which one of that section, from 1
 * @param text what it asks, in our words
 * @param aside why it is no duty of ours, or empty
 */
record Must(String section, int ordinal, String text, String aside) {

    boolean ours() {
        return aside.isEmpty();
    }

    String name() {
        return section + " [" + ordinal + "]";
    }
}
