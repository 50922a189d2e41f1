// What kernel<<<grid, block, shared bytes, stream>>>(arguments) becomes in a program that was translated:
//
//   simt::starting(takes the kernel's address, calls the kernel, {name, file, line}, grid, ...)(arguments)
//
// A kernel that has an address is called with its parameters' types, so that arguments are converted as in
// any call. One whose template arguments follow from its arguments, or with default arguments, is called as
// the source has it.
#pragma once

#include <channel_descriptor.h>
#include <cuda_runtime.h>

#include <simt/program.hpp>
#include <tuple>

namespace simt {

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};

template <class Run>
SIMT_INLINE void start(const LaunchPlace& place, Run&& run) {
  start(place, [](void* context) { (*static_cast<std::remove_reference_t<Run>*>(context))(); }, &run);
}

/// The kernel with exactly these parameters, if there is one.
template <class... P>
struct TakeExactly {
  constexpr const void* operator()(void (*kernel)(P...)) const {
    return reinterpret_cast<const void*>(kernel);
  }
};

template <class T>
struct AsConstant {
  using type = T;
};
template <class T>
struct AsConstant<T*> {
  using type = const T*;
};

/// Whether the kernel has parameters of types `Done` and `Rest`, where each of `Rest` is as it is, or a
/// pointer to what is constant. Instantiates no kernel.
template <class Take, class Done, class Rest>
struct HasAddress;
template <class Take, class... Done>
struct HasAddress<Take, std::tuple<Done...>, std::tuple<>>
    : std::bool_constant<std::is_invocable_v<Take, TakeExactly<Done...>>> {};
template <class Take, class... Done, class First, class... Rest>
struct HasAddress<Take, std::tuple<Done...>, std::tuple<First, Rest...>>
    : std::bool_constant<HasAddress<Take, std::tuple<Done..., First>, std::tuple<Rest...>>::value ||
                         (std::is_pointer_v<First> &&
                          HasAddress<Take, std::tuple<Done..., typename AsConstant<First>::type>,
                                     std::tuple<Rest...>>::value)> {};

/// The address of the kernel that is called with arguments of types `Rest`, each as it is or as a pointer to
/// what is constant; null if it converts them otherwise.
template <class Take, class... Done>
SIMT_INLINE const void* address_for(const Take& take, std::tuple<Done...>, std::tuple<>) {
  if constexpr (std::is_invocable_v<Take, TakeExactly<Done...>>)
    return take(TakeExactly<Done...>());
  else
    return nullptr;
}
template <class Take, class... Done, class First, class... Rest>
SIMT_INLINE const void* address_for(const Take& take, std::tuple<Done...>, std::tuple<First, Rest...>) {
  using AsItIs = std::tuple<Done..., First>;
  if constexpr (HasAddress<Take, AsItIs, std::tuple<Rest...>>::value || !std::is_pointer_v<First>)
    return address_for(take, AsItIs(), std::tuple<Rest...>());
  else
    return address_for(take, std::tuple<Done..., typename AsConstant<First>::type>(), std::tuple<Rest...>());
}

template <class Take, class Call>
struct CalledLaunch {
  Take take;
  Call call;
  LaunchPlace place;
  LaunchShape shape;

  template <class... A>
  SIMT_INLINE void operator()(A&&... arguments) const {
    run<std::decay_t<A>...>(address_for(take, std::tuple<>(), std::tuple<std::decay_t<A>...>()),
                            static_cast<A&&>(arguments)...);
  }

  template <class... A>
  SIMT_INLINE void run(const void* address, A... arguments) const {
    auto body = [&]() SIMT_UNTRACED { call(arguments...); };
    using Body = decltype(body);
    if (address == nullptr) address = reinterpret_cast<const void*>(run_thread<Body>);
    start(place, [&] {
      launch_body(address, run_thread<Body>, &body, shape.grid, shape.block, shape.shared_bytes,
                  shape.stream);
    });
  }
};

template <class Take, class Call, class... P>
struct AddressedLaunch {
  void (*kernel)(P...);
  CalledLaunch<Take, Call> called;

  SIMT_INLINE void operator()(P... arguments) const {
    const LaunchShape& shape = called.shape;
    start(called.place,
          [&] { launch(kernel, shape.grid, shape.block, shape.shared_bytes, shape.stream, arguments...); });
  }
  /// With default arguments for the others.
  template <class... A>
    requires(sizeof...(A) < sizeof...(P))
  SIMT_INLINE void operator()(A&&... arguments) const {
    called.template run<std::decay_t<A>...>(reinterpret_cast<const void*>(kernel),
                                            static_cast<A&&>(arguments)...);
  }
};

/// `take` is called with this, and then has the kernel's type.
struct TakeAny {
  template <class... P>
  constexpr auto operator()(void (*kernel)(P...)) const {
    return kernel;
  }
};

template <class Take, class Call, class... P>
SIMT_INLINE AddressedLaunch<Take, Call, P...> addressed(void (*kernel)(P...),
                                                        const CalledLaunch<Take, Call>& called) {
  return {kernel, called};
}

template <class Take, class Call>
SIMT_INLINE auto starting(Take take, Call call, LaunchPlace place, dim3 grid, dim3 block,
                          std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  const CalledLaunch<Take, Call> called{take, call, place, {grid, block, shared_bytes, stream}};
  if constexpr (std::is_invocable_v<Take, TakeAny>)
    return addressed(take(TakeAny()), called);
  else
    return called;
}

}  // namespace simt
