// Package methods holds the built-in fitting methods. A file has one method, a pair of a method on random features (r-) and one on Nyström
// features (n-), or a family, in the letters of its paper. A program that imports the package knows them by their names in specs:
//
//	askotch               accelerated descent on blocks of coordinates, Rathore et al. 2024      askotch.go
//	cdsg                  doubly stochastic gradients that check old features, li2016 Alg. 4     dsg.go
//	dsg                   doubly stochastic functional gradients, dai2014 Algorithms 1 and 2     dsg.go
//	eigenpro              EigenPro in the RKHS, ma2017 Table 2                                   eigenpro.go
//	eigenpro-rf           EigenPro on random features, ma2017 Table 1                            eigenpro.go
//	eigenpro2             EigenPro 2.0 of Ma & Belkin 2019                                       eigenpro2.go
//	eigenpro3, eigenpro4  EigenPro on centres apart from the data, Abedsoltan et al. 2023, 2024  eigenpro3.go
//	falkon                kernel ridge regression on landmarks, Rudi et al. 2017                 falkon.go
//	fogd                  Fourier online gradient descent, online, Lu et al. 2016                online.go
//	gd                    gradient descent in the RKHS, ma2017 eq. (5)                           gd.go
//	gd-spectral           gradient descent from an eigendecomposition, ma2017 eq. (8)            spectral.go
//	gp-operator           posterior variance of a Gaussian process, dai2014 §4                   gp_operator.go
//	k-sdca                stochastic dual coordinate ascent with the full kernel                 sdca.go
//	kernel-awv            forecaster of Azoury, Warmuth and Vovk, online, jezequel2019 §2        online.go
//	krr                   exact kernel ridge regression                                          krr.go
//	ksvm                  exact kernel support vector machine                                    ksvm.go
//	norma                 stochastic functional gradients with the full kernel                   pegasos.go
//	nystrom-awv           kernel-awv on the span of a dictionary, online, jezequel2019           nystrom_awv.go
//	nystrom-ridge         kernel ridge regression on Nyström features, Rudi et al. 2015          krr.go
//	online-krr            kernel ridge regression so far, online, jezequel2019 §5                online.go
//	pcg                   conjugate gradients on all rows, preconditioned, Díaz et al. 2023      pcg.go
//	pegasos               stochastic gradients with a constant step, as ma2017 calls it          pegasos.go
//	r-pegasos, n-pegasos  Pegasos on features, dai2014 §6                                        pegasos_features.go
//	phi-awv               forecaster on Taylor features, online, jezequel2019 Alg. 1             online.go
//	pros-n-kons           dictionary with restarts, online, Calandriello et al. 2017             nystrom_awv.go
//	random-features       the estimate of the kernel itself, dai2014 Theorem 1                   random_features.go
//	r-rbcd, n-rbcd        randomised block coordinate descent on features                        pegasos_features.go
//	r-sbmd, n-sbmd        stochastic block mirror descent on features                            pegasos_features.go
//	r-sdca, n-sdca        stochastic dual coordinate ascent on features                          sdca.go
//	sgd-rf                stochastic gradients on random features, ma2017 Sec. 6                 sgd_rf.go
//	spectral-cutoff       projection on leading eigenvectors                                     spectral.go
//	spectral-sketch       projection on leading eigenvectors of a sketch                         spectral.go
//	svrg-rf               stochastic variance-reduced gradients on random features, li2016 §5    svrg_rf.go
//	taylor-expansion      estimate of the Gaussian kernel, jezequel2019 Lemma 4.4                random_features.go
//	udsg                  doubly stochastic gradients that draw old features, li2016 Alg. 3      dsg.go
//
// The file of a method begins with its settings, Start and Step, the algorithm of the paper. Storage, caches, working sets and costs
// follow; those of ksvm have a file of their own, ksvm_decomposition.go. Methods of any family are built from package parts.
package methods
