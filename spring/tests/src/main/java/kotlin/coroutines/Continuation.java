package kotlin.coroutines;

/** By its name a suspend function is known. These tests do without Kotlin's library. */
public interface Continuation<T> {}
