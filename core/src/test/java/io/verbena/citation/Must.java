package io.verbena.citation;

/**
 * One requirement of an RFC.
 *
 * @param section the section, for example {@code 7.1}
 * @param ordinal its number within the section, from 1
 * @param text the requirement, paraphrased
 * @param aside why it is excluded, or empty
 */
record Must(String section, int ordinal, String text, String aside) {

    boolean ours() {
        return aside.isEmpty();
    }

    String name() {
        return section + " [" + ordinal + "]";
    }
}
