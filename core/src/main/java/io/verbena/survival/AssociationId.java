package io.verbena.survival;

import io.verbena.base.RandomSource;

/** The name of an association: 128 random bits, of which each side has chosen one half. It is not secret. */
public record AssociationId(long high, long low) {

    /** A random name. */
    public static AssociationId random(RandomSource random) {
        return new AssociationId(random.nextLong(), random.nextLong());
    }

    /** 32 hexadecimal digits. */
    @Override
    public String toString() {
        return "%016x%016x".formatted(high, low);
    }
}
