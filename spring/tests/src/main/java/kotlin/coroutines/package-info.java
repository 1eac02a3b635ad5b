/** What the compiler of Kotlin adds to suspend functions. */
package kotlin.coroutines;
